// A rule of one's own: a command that judges answers, one JSON object per line.
//
//   to the command    {"input": "abc", "answer": "cba", "label": "cba"}   label: where it is known
//   from the command  {"score": 1, "why": "..."}                          1 is right; why is
//   optional
//
// The command is started once and asked line by line; callers in several threads have a process
// each. One that ends, does not answer in time or answers with something else is started again,
// once. If that does not help, it is reported and asked no more.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/line_process.h"
#include "tasks/task.h"

namespace mgdm::tasks::text {

class Verifier {
 public:
  static constexpr double kPatience = 30;  // seconds for an answer

  // Error when the command ends at once.
  explicit Verifier(std::string command, double patience = kPatience);

  struct Judgement {
    double score = 0;  // 0 to 1
    std::string why = {};
    bool right() const { return score >= 1; }
  };

  // None where the command fails.
  std::optional<Judgement> judge(const Example& example, std::string_view answer) const;

 private:
  std::unique_ptr<LineProcess> idle_or_new() const;
  void give_up(const std::optional<std::string>& reply) const;  // the last one, if any

  const std::string command_;
  const double patience_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<LineProcess>> idle_;
  mutable bool failed_ = false;
  mutable std::string last_reply_;
  // What came of the last questions: an answer is judged, and then explained.
  mutable std::unordered_map<std::string, Judgement> known_;
};

}  // namespace mgdm::tasks::text
