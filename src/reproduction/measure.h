// The evaluations behind the cells of a plan, each measured once (kept_results.h).
#pragma once

#include <limits>
#include <string>

#include "reproduction/plan.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {

// The flags of `mgdm eval` for the changes of a cell: "steps=1" is " --steps 1".
std::string decoding_flags(const Cell& cell);

// The key of a cell's evaluation; cells with the same key share it.
std::string evaluation_key(const Cell& cell);

// The result of `mgdm eval` as JSON (docs/formats.md), measured now or earlier. If the time ends,
// or Ctrl-C is pressed, the result covers fewer puzzles, and the next call continues. Error if
// there is no time for any puzzle.
Json measure(const Context& context, const Trained& trained, const Cell& cell,
             double seconds = std::numeric_limits<double>::infinity());

// Whether the cell has been measured on all of its puzzles.
bool is_measured(const Context& context, const Trained& trained, const Cell& cell);

// The number that a cell shows of such a result.
Value value_of(const Cell& cell, const Json& result);

}  // namespace mgdm::reproduction
