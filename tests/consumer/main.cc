#include <mgdm/mgdm.h>

#include <iostream>

int main() {
  for (const std::string& task : mgdm::task_names()) {
    const mgdm::Puzzle puzzle = mgdm::generate(task, 1).front();
    if (!mgdm::verify(task, puzzle, puzzle.solution).correct) return 1;
    if (mgdm::verify(task, puzzle, "nonsense").faults.empty()) return 2;
    if (mgdm::solve_exactly(task, puzzle.input) != puzzle.solution) return 3;
    std::cout << task << " " << puzzle.input << " " << puzzle.solution << "\n";
  }
  try {
    mgdm::generate("sudko", 1);
    return 4;
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).find("sudoku") == std::string::npos ? 5 : 0;
  }
}
