#include "tasks/judge.h"

#include <array>

namespace mgdm::tasks {

std::string_view up_to_end(std::string_view answer) {
  return answer.substr(0, answer.find("[EOS]"));
}

std::string without_special_tokens(std::string_view answer) {
  constexpr std::array<std::string_view, 5> kSpecial{"[PAD]", "[SEP]", "[MASK]", "[EOS]", "[UNK]"};
  std::string kept;
  while (!answer.empty()) {
    std::size_t skip = 0;
    for (const std::string_view token : kSpecial)
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
