// Let a model answer a file of puzzles, a batch at a time, and count how often it is right:
//
//   answer_file quick-planning-mgdm examples/quick-planning.jsonl
//
// The file may be of any kind that mgdm reads: JSONL, Sudoku CSV or lines, DIMACS.
#include <mgdm/mgdm.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: answer_file MODEL FILE\n";
    return 2;
  }
  try {
    constexpr std::size_t kBatch = 256;
    mgdm::Model model(argv[1]);
    const std::vector<mgdm::Puzzle> puzzles = mgdm::read_puzzles(model.info().task, argv[2]);

    std::size_t right = 0;
    for (std::size_t begin = 0; begin < puzzles.size(); begin += kBatch) {
      const std::size_t end = std::min(puzzles.size(), begin + kBatch);
      std::vector<std::string> inputs;
      for (std::size_t i = begin; i < end; ++i) inputs.push_back(puzzles[i].input);

      mgdm::DecodingOptions options;
      options.first = static_cast<std::uint32_t>(begin);  // so that batches change no answer
      for (const mgdm::Answer& answer : model.solve_all(inputs, options)) {
        std::cout << answer.text << (answer.faults.empty() ? "" : "  # " + answer.faults.at(0))
                  << '\n';
        right += answer.correct;
      }
    }
    std::fprintf(stderr, "%zu of %zu right (%.1f %%)\n", right, puzzles.size(),
                 100.0 * static_cast<double>(right) /
                     static_cast<double>(std::max<std::size_t>(1, puzzles.size())));
    return 0;
  } catch (const mgdm::Failure& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
