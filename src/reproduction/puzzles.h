// The puzzles of a test set, and how to get them by hand.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"
#include "tasks/task.h"

namespace mgdm::reproduction {

// Error when a file is needed that is not at hand: it names the file.
std::vector<tasks::Example> puzzles_of(const TestSet& test, const Context& context);

// "1000 puzzles of countdown-4 as released".
std::string about(const TestSet& test);

// The command that writes them into a file, and the name of that file. For a released file there is
// no command.
struct PuzzleFile {
  std::string command, file;
};
PuzzleFile puzzle_file(const TestSet& test);

}  // namespace mgdm::reproduction
