#pragma once

#include <memory>

#include "tasks/released.h"

namespace mgdm::tasks::countdown {

// The paper released countdown with 3, 4 and 5 numbers.
bool has_released(int count);

// With 5 numbers the generator made no searches, so it drew nothing for them.
bool has_traces(int count);

// What stands as the answer of an example: its solution, the search that the generator made, or the
// path to the solution in the words of a search (search_text.h).
enum class Answer { kSolution, kSearch, kOptimalPath };

// The generator of Stream of Search (Gandhi et al. 2024) with the count for a seed: the 500,000
// training examples, or the test, which was drawn after 220,000 (4 numbers) or 500,000 of them.
std::unique_ptr<Released> make_released(int count, Split split, Answer answer = Answer::kSolution);

}  // namespace mgdm::tasks::countdown
