// The puzzles of a test set, and the command that generates them.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"
#include "tasks/task.h"

namespace mgdm::reproduction {

// The reason why a test set has no puzzles ("the file cd4_tot24.jsonl is not at hand"); empty if it
// has.
std::string missing_file(const TestSet& test, const Context& context);

// Error, with the name of the file, when a file is missing or its puzzles end otherwise.
std::vector<tasks::Example> puzzles_of(const TestSet& test, const Context& context);

// The ratings of the puzzles in a `rated` file, and the name of a rating's group: "below 4",
// "4 to 5.9", "6 to 7.9", "8 and more".
std::vector<double> ratings_of(const TestSet& test, const Context& context);
std::string rating_name(double rating);

// "1000 puzzles of countdown-4 as released".
std::string about(const TestSet& test);

// The command that writes the puzzles into a file, and the file's name. Released files have no
// command.
struct PuzzleFile {
  std::string command, file;
};
PuzzleFile puzzle_file(const TestSet& test);

// The generated test puzzles on which figures measure the shipped models.

struct HeldOut {
  std::string label;  // "sudoku, random minimal"
  TestSet test;
};

// `count` puzzles of each kind that a model was trained for: two kinds of Sudoku, and planning with
// as many nodes as fit its rows.
std::vector<HeldOut> held_out_of(const ShippedModel& model, std::int64_t count);

}  // namespace mgdm::reproduction
