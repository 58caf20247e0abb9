// Countdown as Stream of Search has it (Gandhi et al. 2024): the answer is the text of a search.
//
//   search-4    all the detours of one of several searches, which may also fail
//   optimal-4   the path to the solution alone
//
// The puzzles are those of countdown-4, and so are the splits.
#pragma once

#include <memory>

#include "tasks/countdown/released.h"
#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// `written` is kSearch or kOptimalPath; 3 to 5 numbers.
std::unique_ptr<Task> make_search_task(int count, Answer written);

}  // namespace mgdm::tasks::countdown
