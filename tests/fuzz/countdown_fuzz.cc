// Puzzle and answer on two lines: the judges agree with each other whatever the text.
#include "fuzz.h"
#include "tasks/all_tasks.h"
#include "tasks/countdown/verify.h"
#include "tasks/score.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return;
  static const auto task = tasks::make_task("countdown-4");
  const tasks::Example example{std::string(text.substr(0, line)), ""};
  const std::string_view answer = text.substr(line + 1);
  const tasks::Verdict verdict = task->verify(example, answer);
  fuzz::require(verdict.correct == task->explain(example, answer).empty());
  // What is true is also right by the looser released metric, but for numbers written as 007.
  if (verdict.correct && answer.find(",0") == std::string_view::npos &&
      answer.find_first_of("0") == std::string_view::npos)
    fuzz::require(verdict.correct_paper);
  tasks::judge(*task, example, answer);
  // The same text as that of a search.
  static const auto search = tasks::make_task("search-4");
  fuzz::require(search->verify(example, answer).correct ==
                search->explain(example, answer).empty());
}
