// The task `text`: strings in, strings out, from the user's own files. An answer is right if it
// equals one of the accepted labels. A task made by make_verified() asks a function or a command.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tasks/task.h"

namespace mgdm::tasks::text {

inline constexpr const char* kVerifierHelp =
    "text: a command that judges answers: it reads {\"input\", \"answer\", \"label\"} and writes "
    "{\"score\": 0 to 1, \"why\"}, a line each";

struct Judgement {
  double score = 0;  // 0 to 1
  std::string why = {};
  bool right() const { return score >= 1; }
};

// Judges an answer; none if that is impossible. It may be asked more than once about an answer.
using Judge = std::function<std::optional<Judgement>(const Example&, std::string_view answer)>;

// A function or a command (verifier.h) judges answers. Throws a UsageError unless the task is
// `text`, and an Error if the command ends at once.
std::unique_ptr<Task> make_verified(std::string_view task, Judge judge);
std::unique_ptr<Task> make_verified(std::string_view task, const std::string& command);

}  // namespace mgdm::tasks::text
