// The results of a run, one line per puzzle as they come. Replies are kept in the cache
// (reply_cache.h); a run that is repeated writes this file again.
//
//   {"run": {"method": "tot", "model": "...", ...}}
//   {"item": 3, "input": "4,5,6,10,24", "right": 1.0, "any": true, "answers": [...], ...}
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "prompting/methods.h"

namespace mgdm::prompting {

// The settings that decide the results, by name.
using RunFacts = std::vector<std::pair<std::string, std::string>>;

class ResultsFile {
 public:
  // Starts the file. An Error when there is one of a run with other settings.
  ResultsFile(std::string path, const RunFacts& facts);

  void add(std::size_t item, const std::string& input, const Outcome& outcome);

 private:
  void write(const std::string& line);

  std::string path_;
  std::ofstream file_;
};

}  // namespace mgdm::prompting
