#include "tasks/judge.h"

#include "tasks/special_tokens.h"

namespace mgdm::tasks {

std::string_view up_to_end(std::string_view answer) {
  return answer.substr(0, answer.find(kEndName));
}

std::string without_special_tokens(std::string_view answer) {
  std::string kept;
  while (!answer.empty()) {
    std::size_t skip = 0;
    for (const std::string_view token : kSpecialNames)
      if (answer.starts_with(token)) skip = token.size();
    if (skip == 0) kept += answer.front();
    answer.remove_prefix(skip == 0 ? 1 : skip);
  }
  return kept;
}

Verdict judge(const Task& task, const Example& example, std::string_view answer) {
  if (answer.find('[') == std::string_view::npos) return task.verify(example, answer);
  Verdict verdict = task.verify(example, without_special_tokens(answer));
  verdict.correct = task.verify(example, up_to_end(answer)).correct;
  return verdict;
}

}  // namespace mgdm::tasks
