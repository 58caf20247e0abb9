// mgdm: neural reasoning by discrete diffusion, as a C++ library.
//
// The one public header. Link with CMake:
//
//   find_package(mgdm REQUIRED)
//   target_link_libraries(my_program PRIVATE mgdm::mgdm)
//
// and use:
//
//   for (const mgdm::Puzzle& puzzle : mgdm::generate("sudoku", 10))
//     std::cout << puzzle.input << '\n';
//   mgdm::Judgement j = mgdm::verify("countdown-4", {"86,28,13,31,96"}, "86+28=114");
//   // j.correct == false; j.faults[0] == "the last result is 114, the target 96"
//
// What the caller can mend (an unknown task, a malformed puzzle) is thrown as std::runtime_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mgdm {

// "planning", "countdown-4", "sudoku", "sat-9", ...
std::vector<std::string> task_names();

struct Puzzle {
  std::string input;
  std::string solution = {};  // the label; empty when it is not known
};

// Puzzles first .. first+count-1 of a list of 2^32, with their solutions. `test` chooses the
// held-out list, which shares no puzzle with the other.
std::vector<Puzzle> generate(const std::string& task, std::size_t count, std::uint64_t seed = 0,
                             bool test = false, std::uint32_t first = 0);

struct Judgement {
  bool correct = false;             // by the rules of the puzzle
  bool correct_paper = false;       // by the metric of the paper's released code; false for SAT
                                    // without a label, where that metric says nothing
  std::vector<std::string> faults;  // what is wrong, in words; empty when correct
};

Judgement verify(const std::string& task, const Puzzle& puzzle, const std::string& answer);

// The label by exact search (no network involved); none when the puzzle has no solution.
std::optional<std::string> solve_exactly(const std::string& task, const std::string& puzzle);

}  // namespace mgdm
