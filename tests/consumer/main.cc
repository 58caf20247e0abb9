#include <mgdm/mgdm.h>

#include <iostream>

// A shipped model by its name, and an exception through it.
int use_a_model() {
  mgdm::GenerateOptions four;
  four.task_options = "nodes=4";
  four.split = "test";
  const mgdm::Puzzle puzzle = mgdm::generate("planning", 1, four).front();
  mgdm::Model model("quick-planning-mgdm");
  if (model.info().task != "planning") return 11;
  try {
    model.solve(puzzle.input, {}, [](const mgdm::Step&) -> bool { throw 7; });
    return 12;
  } catch (int thrown) {
    if (thrown != 7) return 13;
  }
  const mgdm::Answer answer = model.solve(puzzle.input);
  std::cout << answer.text << " after " << answer.passes << " passes on " << model.info().device
            << "\n";
  if (!answer.correct || answer.text != puzzle.solution) return 14;
  if (model.clone().solve(puzzle.input).text != answer.text) return 15;
  if (mgdm::ModelPool(model, 2).solve(puzzle.input).text != answer.text) return 16;
  if (!model.solve_all({"nonsense", puzzle.input})[0].error) return 17;
  if (!model.check(puzzle.input).contradiction.empty()) return 18;
  if (model.logits({model.encode(puzzle.input)}).empty()) return 19;
  return mgdm::normalize("planning", puzzle.input) == puzzle.input ? 0 : 20;
}

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
  } catch (const mgdm::Failure& failure) {
    if (failure.hint().find("sudoku") == std::string::npos) return 5;
  }
  try {
    return use_a_model();
  } catch (const mgdm::Failure& failure) {
    std::cerr << failure.what() << "\n";
    return 6;
  }
}
