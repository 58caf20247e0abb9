// A check of the files that a command line names.
#pragma once

#include <string>
#include <vector>

namespace mgdm::cli {

struct NamedFile {
  const char* flag;
  std::string file;  // empty: not named
  bool written = true;
};

// UsageError if a written file is also read or written by another flag, or is a file of a model.
// Error if a file cannot be written: the user learns it before the work, not after it.
void check_files(const std::vector<NamedFile>& files);

}  // namespace mgdm::cli
