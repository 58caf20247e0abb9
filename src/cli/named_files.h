// The files that a command line names.
#pragma once

#include <string>
#include <vector>

namespace mgdm::cli {

struct NamedFile {
  const char* flag;
  std::string file;  // empty: not named
  bool written = true;
};

// What is written must not push out what is read, something else that is written, or a file of a
// model; and it must be possible to write it, which is better known before the work than after it.
void check_files(const std::vector<NamedFile>& files);

}  // namespace mgdm::cli
