// Runs a plan: trains what is missing where the program can, measures what is trained, and fills
// the table.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

// Steps and evaluations that were done are not done again, in this call or a later one. With a
// budget every training that is missing gets an equal share of it, into a run of its own, and an
// evaluation that it cuts short is gone on with in the next call. What fails is told in the notes
// of its cells.
Table reproduce(const Plan& plan, const Context& context);

// What reproduce() would do, as Markdown: what is trained and measured, what would be, and how long
// it takes here.
std::string forecast(const Plan& plan, const Context& context);

// OUT/NAME/NAME.md, .json and, where there is something to draw, .svg. Their paths.
std::vector<std::string> write_table(const Table& table, const Context& context);

}  // namespace mgdm::reproduction
