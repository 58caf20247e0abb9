// Judges an answer as a model writes it, special tokens included, by the two metrics.
//
// The strict metric reads the answer up to the first [EOS] and takes any other special token in it
// as an error. The released code drops special tokens wherever they stand and reads the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.h"

namespace mgdm::tasks {

// The text up to the first [EOS].
std::string_view up_to_end(std::string_view answer);

// The text without [PAD], [SEP], [MASK], [EOS], [UNK].
std::string without_special_tokens(std::string_view answer);

Verdict judge(const Task& task, const Example& example, std::string_view answer);

// The result by the strict metric, with the faults of a wrong answer.
struct Check {
  enum class Result { kRight, kWrong, kNotChecked };
  Result result = Result::kNotChecked;
  std::vector<Fault> faults = {};  // of a wrong answer, the decisive fault first

  bool right() const { return result == Result::kRight; }
  bool wrong() const { return result == Result::kWrong; }
};
Check check(const Task& task, const Example& example, std::string_view answer);

// "right", "wrong" or "not checked".
std::string_view name_of(Check::Result result);

}  // namespace mgdm::tasks
