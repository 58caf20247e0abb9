// What a model of Stream of Search writes, and what counts of it.
//
//   Current State: 28:[32, 4], Operations: ['67-53=14', '14-10=4']
//   Exploring Operation: 32-4=28, Resulting Numbers: [28]
//   28,28 equal: Goal Reached
//
// Both metrics look at the operations of the last state before the first "Goal Reached", and the
// operation explored last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/countdown/problem.h"
#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// These operations as an answer of countdown, "67-53=14,14-10=4,32-4=28"; empty where the text
// reaches no goal, or goes on after it.
std::string found_solution(std::string_view text);

// As the released code of Stream of Search counts: the text begins with the puzzle, these
// operations are true and use numbers that were given or made (a number may be used again and
// again: the code means to take it away and does not), the last is the target, and the search was
// shorter than one through all operations.
bool search_correct_as_released(const Problem& problem, std::string_view text);

// The path to a solution alone, as the released code writes it, where nodes are numbered from 2. Of
// numbers that are there twice, an operation takes one; in the released data all of them go, and
// one path in seventy ends too early.
enum class Twins { kOneGoes, kAllGo };
std::string optimal_path(const Problem& problem, const std::vector<Equation>& solution,
                         Twins twins = Twins::kOneGoes);

// How many operations a search through all of them explores, as the released code counts them.
int most_operations(int count);

}  // namespace mgdm::tasks::countdown
