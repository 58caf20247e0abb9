#include "tasks/text/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tasks/all_tasks.h"
#include "tasks/family.h"
#include "tasks/text/verifier.h"

namespace mgdm::tasks::text {
namespace {

// Returns the first difference between the label and another answer.
Fault difference(std::string_view label, std::string_view answer) {
  std::size_t at = 0;
  int place = 1;  // in characters
  while (at < label.size()) {
    const std::size_t size = std::max<std::size_t>(1, utf8_length(label.substr(at)));
    if (answer.substr(std::min(at, answer.size()), size) != label.substr(at, size)) break;
    at += size;
    ++place;
  }
  const std::string words = fmt::format("{} is not {}: they differ from character {} on",
                                        in_quotes(answer), in_quotes(label), place);
  if (at == answer.size()) return {"too short", place, words};
  if (at == label.size()) return {"too long", place, words};
  return {"another character", place, words};
}

class Text final : public Task {
 public:
  explicit Text(Judge judge) : judge_(std::move(judge)) {}

  std::string name() const override { return "text"; }
  std::string about() const override {
    return "your own puzzles: any text and its answer, from files";
  }
  Abilities abilities() const override { return {.generates = false, .any_text = true}; }

  Example generate(std::uint64_t, Split, std::uint32_t) const override {
    throw UsageError("the task 'text' cannot generate puzzles",
                     "a file of them: data.files=FILE in training, --data FILE in eval");
  }

  std::string normalize_input(std::string_view text) const override {
    if (text.empty()) throw Error("the puzzle is empty", "at least one character");
    return std::string(text);
  }

  std::optional<std::string> solve(std::string_view) const override { return std::nullopt; }
  bool can_solve() const override { return false; }

  // The paper has no task of this kind, so its metric does not apply.
  Verdict verify(const Example& example, std::string_view answer) const override {
    if (judge_) {
      const auto judged = judge_(example, answer);
      return {.correct = judged && judged->right(),
              .paper_applies = false,
              .checked = judged.has_value()};
    }
    if (example.output.empty()) return {.paper_applies = false, .checked = false};
    return {.correct = answer == example.output || contains(example.also, answer),
            .paper_applies = false};
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    if (judge_) {
      const auto judged = judge_(example, answer);
      if (!judged || judged->right()) return {};
      return {{"by the verifier", 0,
               judged->why.empty() ? fmt::format("a score of {}", judged->score) : judged->why}};
    }
    const Verdict verdict = verify(example, answer);
    if (!verdict.checked || verdict.correct) return {};
    return {difference(example.output, answer)};
  }

 private:
  Judge judge_;  // may be none
};

void check_takes_verifier(std::string_view task) {
  if (!make_task(task)->abilities().any_text)
    throw UsageError(fmt::format("a verifier with the task {}", task),
                     "the task text: other tasks have their own rules");
}

}  // namespace

const Family& family() {
  static const Family kFamily = with_options<NoOptions>(
      {.name = "text",
       .tasks = {},
       .variants = {"text"},
       .faults = [](std::string_view) -> FaultWords {
         return {{"another character", "too short", "too long", "by the verifier"}};
       }},
      [](std::string_view, const NoOptions&, bool) { return std::make_unique<Text>(nullptr); });
  return kFamily;
}

std::unique_ptr<Task> make_verified(std::string_view task, Judge judge) {
  check_takes_verifier(task);
  return std::make_unique<Text>(std::move(judge));
}

std::unique_ptr<Task> make_verified(std::string_view task, const std::string& command) {
  check_takes_verifier(task);
  return make_verified(task, [verifier = std::make_shared<const Verifier>(command)](
                                 const Example& example, std::string_view answer) {
    return verifier->judge(example, answer);
  });
}

}  // namespace mgdm::tasks::text
