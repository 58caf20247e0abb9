// Formula and answer on two lines, in the paper's notation; or DIMACS and a solver's answer.
#include "fuzz.h"
#include "tasks/all_tasks.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  static const auto small = tasks::make_task("sat-7");
  static const auto any = tasks::make_task("sat");
  const bool dimacs = text.find("cnf") != std::string_view::npos;
  const std::size_t cut = dimacs ? text.find("\n\n") : text.find('\n');
  if (cut == std::string_view::npos) return;
  const tasks::Task& task = dimacs ? *any : *small;
  const tasks::Example example{task.normalize_input(text.substr(0, cut)), ""};
  if (const tasks::Padding* const padding = task.abilities().padding)
    if (const auto padded = padding->padded(example.input))
      fuzz::require(task.normalize_input(padded->input) == padded->input);
  const std::string_view answer = text.substr(cut + (dimacs ? 2 : 1));
  fuzz::require(task.verify(example, answer).correct == task.explain(example, answer).empty());
}
