// Runs a plan: trains missing models if the program can, measures all trained ones and fills the
// table.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

// Finished steps and evaluations are never repeated. With a budget each missing training gets an
// equal share of it, in a run of its own, and the next call continues evaluations that were cut
// short. Failures are in the notes of their cells.
Table reproduce(const Plan& plan, const Context& context);

// The forecast of reproduce() as Markdown: finished and missing trainings and measurements, with
// the time that training takes on this machine: `times_all` includes trainings whose weights are
// missing.
std::string forecast(const Plan& plan, const Context& context, bool times_all = true);

// OUT/NAME/NAME.md, .json and, where there is something to draw, .svg. Their paths.
std::vector<std::string> write_table(const Table& table, const Context& context);

}  // namespace mgdm::reproduction
