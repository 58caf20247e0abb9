// The evaluations behind the cells of a plan, each done once (kept_results.h).
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

// Whether it has been measured already, for as long as that.
bool is_measured(const Context& context, const Trained& trained, const Cell& cell, double seconds);

// Seconds that measuring it would take here, from a few puzzles.
double estimate(const Context& context, const Trained& trained, const Cell& cell);

// The number that a cell shows of such a result.
Value value_of(const Cell& cell, const Json& result);

}  // namespace mgdm::reproduction
