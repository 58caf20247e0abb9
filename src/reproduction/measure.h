// Evaluations that are done once: the results lie in OUT/cells, and a plan that is run again, or
// another plan with the same cell, takes them from there.
#pragma once

#include <string>

#include "reproduction/plan.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {

// What is evaluated for a cell: cells with the same text share it.
std::string evaluation_key(const Cell& cell);

// The result of `mgdm eval` as JSON (docs/formats.md), measured now or earlier. `seconds` bounds
// the decoding, and then fewer puzzles count; 0 for no limit.
Json measure(const Context& context, const Trained& trained, const Cell& cell, double seconds);

// Whether it has been measured already.
bool is_measured(const Context& context, const Trained& trained, const Cell& cell);

// Seconds that measuring it would take here, from a few puzzles.
double estimate(const Context& context, const Trained& trained, const Cell& cell);

// The number that a cell shows of such a result.
Value value_of(const Cell& cell, const Json& result);

}  // namespace mgdm::reproduction
