// What reproduce() would do, and how long it would take here.
#include <fmt/format.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "formats/markdown_table.h"
#include "reproduction/measure.h"
#include "reproduction/puzzles.h"
#include "reproduction/reproduce.h"
#include "reproduction/trained.h"
#include "reproduction/trainings.h"

namespace mgdm::reproduction {
namespace {

// The state of a training and, if it is still to do, its seconds here. `times_all`: also if its
// weights are missing.
std::pair<std::string, double> training_state(const Plan& plan, const Context& context,
                                              const std::string& recipe, bool times_all) {
  if (context.workers == nullptr) return {"missing; this program cannot train", 0};
  const std::string weights = missing_weights(context, recipe);
  if (context.budget > 0 && weights.empty())
    return {"missing; shortened", seconds_for_each(plan, context)};
  std::pair<std::string, double> state{weights.empty() ? "missing" : weights, 0};
  if (!weights.empty() && !times_all) return state;
  attempt([&] { state.second = training_seconds(context, recipe); },
          [&](const Error& error) { state.first = error.seen(); });
  return state;
}

std::string evaluation_state(const Context& context, const Cell& cell) {
  const auto trained = find_trained(context, cell.model);
  if (trained && is_measured(context, *trained, cell)) return "measured";
  if (std::string why = missing_file(cell.test, context); !why.empty()) return why;
  if (trained) return "to be measured";
  if (!is_recipe(cell.model)) return why_untrained(context, cell.model);
  std::string weights = missing_weights(context, cell.model);
  return weights.empty() ? "after its training" : weights;
}

}  // namespace

std::string forecast(const Plan& named, const Context& context, bool times_all) {
  const Plan plan = with_rows(named);
  const auto missing = missing_trainings(plan, context);
  formats::MarkdownTable table{{{"what"}, {"state"}, {"takes here", formats::Align::kRight}}};
  double total = 0;
  Progress progress("measuring how long training takes here", missing.size(), context.quiet);
  for (const std::string& recipe : missing) {
    stop_if_interrupted();
    const auto [state, seconds] = training_state(plan, context, recipe, times_all);
    table.add_row(
        {"train " + recipe, state, seconds > 0 ? "about " + format_duration(seconds) : ""});
    if (missing_weights(context, recipe).empty()) total += seconds;
    progress.add(1);
  }
  if (plan.make)
    table.add_row({plan.frame.title,
                   missing.empty() ? "made from what is there" : "made of the trainings", ""});
  for (const Cell* const cell : evaluations(plan))
    table.add_row(
        {fmt::format("evaluate {} on {}{}", cell->model, about(cell->test), decoding_flags(*cell)),
         evaluation_state(context, *cell), ""});
  return table.text() +
         (context.budget > 0
              ? fmt::format("\nin all {} (--budget)\n", format_duration(context.budget))
              : fmt::format("\ntraining takes about {} here in all; evaluations come on top\n",
                            format_duration(total)));
}

}  // namespace mgdm::reproduction
