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

std::string time_text(double seconds) { return "about " + format_duration(seconds); }

// Rows of the forecast, and what they come to.
class Forecast {
 public:
  Forecast(const Plan& plan, const Context& context) : plan_(plan), context_(context) {}

  void add_made(bool all_trained) {
    add(plan_.frame.title, all_trained ? "made from what is there" : "made of the trainings",
        "seconds");
  }

  void add_training(const std::string& recipe) {
    const std::string what = "train " + recipe;
    const std::string weights = missing_weights(context_, recipe);
    if (context_.workers == nullptr) return add(what, "missing; this program cannot train", "");
    if (context_.budget > 0)
      return weights.empty()
                 ? add(what, "missing; shortened", time_text(seconds_for_each(plan_, context_)))
                 : add(what, weights, "");
    const double seconds = training_seconds(context_, recipe);
    if (weights.empty()) total_ += seconds;
    add(what, weights.empty() ? "missing" : weights, time_text(seconds));
  }

  void add_evaluation(const Cell& cell) {
    const std::string what =
        fmt::format("evaluate {} on {}{}", cell.model, about(cell.test), decoding_flags(cell));
    const auto trained = find_trained(context_, cell.model);
    if (trained && is_measured(context_, *trained, cell)) return add(what, "measured", "0s");
    if (const std::string why = missing_file(cell.test, context_); !why.empty())
      return add(what, why, "");
    if (!trained && !is_recipe(cell.model))
      return add(what, why_untrained(context_, cell.model), "");
    if (!trained) {
      const std::string weights = missing_weights(context_, cell.model);
      unknown_ = unknown_ || weights.empty();
      return add(what, weights.empty() ? "after its training" : weights, "not known yet");
    }
    attempt(
        [&] {
          const double seconds = estimate(context_, *trained, cell);
          total_ += seconds;
          add(what, "to be measured", time_text(seconds));
        },
        [&](const Error& error) { add(what, error.seen(), ""); });
  }

  std::string text() const {
    const std::string sum = context_.budget > 0
                                ? fmt::format("{} (--budget)", format_duration(context_.budget))
                                : time_text(total_);
    return table_.text() + fmt::format("\nin all {}{}\n", sum,
                                       unknown_ && context_.budget == 0
                                           ? ", and what the evaluations of new models take"
                                           : "");
  }

 private:
  void add(const std::string& what, const std::string& state, const std::string& time) {
    table_.add_row({what, state, time});
  }

  const Plan& plan_;
  const Context& context_;
  formats::MarkdownTable table_{{{"what"}, {"state"}, {"takes here", formats::Align::kRight}}};
  double total_ = 0;
  bool unknown_ =
      false;  // whether something will be done of which it is not known how long it takes
};

}  // namespace

std::string forecast(const Plan& named, const Context& context) {
  const Plan plan = with_rows(named);
  const auto missing = missing_trainings(plan, context);
  const auto cells = evaluations(plan);
  Forecast made(plan, context);
  Progress progress("measuring a little of each", missing.size() + cells.size(), context.quiet);
  for (const std::string& recipe : missing) {
    stop_if_interrupted();
    made.add_training(recipe);
    progress.add(1);
  }
  if (plan.make) made.add_made(missing.empty());
  for (const Cell* const cell : cells) {
    stop_if_interrupted();
    made.add_evaluation(*cell);
    progress.add(1);
  }
  return made.text();
}

}  // namespace mgdm::reproduction
