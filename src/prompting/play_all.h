// Many puzzles, several at a time.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "prompting/methods.h"

namespace mgdm::prompting {

// The results of a run, one line per puzzle as they come. Replies are kept in the cache
// (reply_cache.h); a run that is repeated writes this file again.
//
//   {"run": {"method": "tot", "model": "...", ...}}
//   {"item": 3, "input": "4,5,6,10,24", "right": 1.0, "any": true, "answers": [...], ...}

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

// The puzzles that the endpoint refuses, however often it is asked.
struct Refusals {
  std::vector<std::string> puzzles;
  std::string reason;  // of the first

  // The Error to report, for so many puzzles in all.
  Error error(std::size_t all) const;
};

// The outcomes in the order of the inputs ("4,5,6,10,24"), `parallel` puzzles at a time. When one
// fails, or Ctrl-C is pressed, no more is asked; replies under way are waited for, since they are
// paid for, and then the error is thrown. Puzzles whose prompts are Refused are left out and noted.
// When five are refused and none is answered, the puzzles are not to blame: their error is thrown.
// on_outcome() is called for each answered puzzle as soon as its outcome is known, by one thread at
// a time.
std::vector<Outcome> play_all(
    ChatModel& model, const std::vector<std::string>& inputs, const MethodSettings& settings,
    std::int64_t parallel, Refusals& refusals,
    const std::function<void(std::size_t item, const Outcome&)>& on_outcome = {});

struct Summary {
  std::size_t n = 0;
  double accuracy = 0, standard_error = 0;  // of the mean of `right` over puzzles
  double any = 0;
  // Means per puzzle.
  double requests = 0, prompt_tokens = 0, generated_tokens = 0;

  // Requests whose tokens the endpoint did not count; the means leave them out.
  std::int64_t uncounted = 0;

  // Every prompt has tokens, so 0 means that the endpoint does not count them.
  bool tokens_known() const { return prompt_tokens > 0; }
};

Summary summarize(const std::vector<Outcome>& outcomes);

// Dollars per million tokens; 0 when unknown.
struct Prices {
  double prompt = 0, generated = 0;

  bool known() const { return prompt > 0 || generated > 0; }
  // Dollars.
  double of(double prompt_tokens, double generated_tokens) const {
    return (prompt_tokens * prompt + generated_tokens * generated) / 1e6;
  }
};

}  // namespace mgdm::prompting
