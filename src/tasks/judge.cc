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

Check check(const Task& task, const Example& example, std::string_view answer) {
  const Verdict verdict = judge(task, example, answer);
  if (!verdict.checked) return {};
  if (verdict.correct) return {Check::Result::kRight};
  return {Check::Result::kWrong, task.explain(example, up_to_end(answer))};
}

std::string_view name_of(Check::Result result) {
  switch (result) {
    case Check::Result::kRight:
      return "right";
    case Check::Result::kWrong:
      return "wrong";
    case Check::Result::kNotChecked:
      break;
  }
  return "not checked";
}

}  // namespace mgdm::tasks
