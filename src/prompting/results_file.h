// Results as they come, one line per puzzle, in a file that a later call goes on with.
//
//   {"run": {"method": "tot", "model": "...", ...}}
//   {"item": 3, "input": "4,5,6,10,24", "right": 1.0, "any": true, "answers": [...], ...}
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "prompting/methods.h"

namespace mgdm::prompting {

// What decides the results, by name: those of another run cannot be gone on with.
using RunFacts = std::vector<std::pair<std::string, std::string>>;

class ResultsFile {
 public:
  // Opens or begins the file and keeps it to this process. An Error when it is of another run; a
  // last line that was not written to its end is dropped.
  ResultsFile(const std::string& path, const RunFacts& facts);
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  // What is in it for a puzzle: none, or an Error when item and puzzle do not belong together.
  const Outcome* find(std::size_t item, const std::string& input) const;

  // On the disk when it returns.
  void add(std::size_t item, const std::string& input, const Outcome& outcome);

 private:
  void append(const std::string& line) const;

  struct Entry {
    std::string input;
    Outcome outcome;
  };
  std::string path_;
  std::string header_;  // goes before the first result
  int descriptor_ = -1;
  std::unique_ptr<FileLock> lock_;
  std::map<std::size_t, Entry> entries_;
};

}  // namespace mgdm::prompting
