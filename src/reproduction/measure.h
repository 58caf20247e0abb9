// The evaluations behind the cells of a plan, each done once (kept_results.h).
#pragma once

#include <limits>
#include <string>

#include "reproduction/plan.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {

// The flags of `mgdm eval` for the changes of a cell: "steps=1" is " --steps 1".
std::string decoding_flags(const Cell& cell);

// What is evaluated for a cell: cells with the same text share it.
std::string evaluation_key(const Cell& cell);

// The seconds of an evaluation: its share of the budget, and how many of them are left. Without a
// budget 0 and without end.
struct EvaluationTime {
  double share = 0;
  double left = std::numeric_limits<double>::infinity();
};

// The result of `mgdm eval` as JSON (docs/formats.md), measured now or earlier. Fewer puzzles count
// where the time is over before all are answered.
Json measure(const Context& context, const Trained& trained, const Cell& cell,
             const EvaluationTime& time);

// Whether it has been measured already, for such a share of a budget or a larger one.
bool is_measured(const Context& context, const Trained& trained, const Cell& cell, double share);

// Seconds that measuring it would take here, from a few puzzles.
double estimate(const Context& context, const Trained& trained, const Cell& cell);

// The number that a cell shows of such a result.
Value value_of(const Cell& cell, const Json& result);

}  // namespace mgdm::reproduction
