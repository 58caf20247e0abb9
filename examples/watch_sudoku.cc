// Watch a model fill in a Sudoku:
//
//   watch_sudoku                    the one that newspapers called the hardest of all
//   watch_sudoku 53..7....6..19...  another: 81 characters, '.' or '0' for an empty cell
//
// On a terminal each pass is painted over the last one: what was given is bold, what the model is
// not sure of is dim. Ends with 0 when the answer is right.
#include <mgdm/mgdm.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

namespace {

constexpr const char* kHardest =
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
constexpr int kLines = 12;  // of a picture

class Painter {
 public:
  explicit Painter(std::string puzzle) : puzzle_(std::move(puzzle)) {}

  void paint(const mgdm::Step& step) {
    if (terminal_ && painted_) std::cout << "\x1b[" << kLines << "A";
    std::cout << "pass " << step.pass + 1 << '\n';
    for (std::size_t row = 0; row < 9; ++row) {
      if (row == 3 || row == 6) std::cout << "------+-------+------\n";
      for (std::size_t column = 0; column < 9; ++column) {
        if (column == 3 || column == 6) std::cout << "| ";
        paint_cell(step, 9 * row + column);
      }
      std::cout << '\n';
    }
    std::cout << std::flush;
    painted_ = true;
    if (terminal_) std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }

 private:
  void paint_cell(const mgdm::Step& step, std::size_t cell) const {
    const bool given = puzzle_.at(cell) >= '1' && puzzle_.at(cell) <= '9';
    const bool sure = step.confidence.at(cell) > 0.9f;
    if (terminal_) std::cout << (given ? "\x1b[1m" : sure ? "" : "\x1b[2m");
    std::cout << step.text.at(cell) << (terminal_ ? "\x1b[0m " : " ");
  }

  const std::string puzzle_;
  const bool terminal_ = ::isatty(STDOUT_FILENO) == 1;
  bool painted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string puzzle = argc > 1 ? argv[1] : kHardest;
    mgdm::Model model("sudoku");
    std::cout << model.info().parameters << " parameters on " << model.info().device << '\n';

    Painter painter(puzzle);
    mgdm::DecodingOptions options;
    options.loops = 8;  // as in training; with its usual 64 there would be little to watch
    const mgdm::Answer answer = model.solve(puzzle, options, [&](const mgdm::Step& step) {
      painter.paint(step);
      return true;
    });
    std::cout << (answer.correct ? "right" : "wrong") << " after " << answer.passes
              << (answer.passes == 1 ? " pass\n" : " passes\n");
    for (const std::string& fault : answer.faults) std::cout << "  " << fault << '\n';
    return answer.correct ? 0 : 1;
  } catch (const mgdm::Failure& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
