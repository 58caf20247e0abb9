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

// The result of `mgdm eval` as JSON (docs/formats.md), measured now or earlier. Fewer puzzles count
// where the time is over, or Ctrl-C comes, before all are answered; the next call goes on after
// them. An Error where there is no time for any.
Json measure(const Context& context, const Trained& trained, const Cell& cell,
             double seconds = std::numeric_limits<double>::infinity());

// Whether it has been measured already, on all of its puzzles.
bool is_measured(const Context& context, const Trained& trained, const Cell& cell);

// Seconds that measuring it, or the rest of it, would take here, from a few puzzles.
double estimate(const Context& context, const Trained& trained, const Cell& cell);

// The number that a cell shows of such a result.
Value value_of(const Cell& cell, const Json& result);

}  // namespace mgdm::reproduction
