// The verifier is a user's command that judges answers, one JSON object per line.
//
//   to the command    {"input": "abc", "answer": "cba", "label": "cba"}   label: if it is known
//   from the command  {"score": 1, "why": "..."}                          1 is right; why is
//   optional
//
// The command is started once and asked line by line. Callers in several threads get a process
// each. If a process ends, stays silent for too long or replies with anything else, the command is
// restarted once. If it fails again, the failure is reported and the command is not asked any more.
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
#include "tasks/text/task.h"

namespace mgdm::tasks::text {

class Verifier {
 public:
  static constexpr double kPatience = 30;  // seconds for an answer

  // Throws an Error if the command ends at once.
  explicit Verifier(std::string command, double patience = kPatience);

  // Returns none if the command has failed.
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
  // Recent judgements: a wrong answer is judged first and explained later.
  mutable std::unordered_map<std::string, Judgement> known_;
};

}  // namespace mgdm::tasks::text
