#include "tasks/sudoku/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/text.h"
#include "formats/sudoku_cells.h"
#include "tasks/family.h"
#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/grid.h"
#include "tasks/sudoku/hard_walk.h"
#include "tasks/sudoku/solver.h"
#include "tasks/sudoku/symmetry.h"
#include "tasks/sudoku/verify.h"

namespace mgdm::tasks::sudoku {
namespace {

class Sudoku final : public Task, public Symmetries, public Views, public Graded {
 public:
  Sudoku(Difficulty difficulty, std::optional<Guesses> guesses, std::int64_t patience)
      : difficulty_(difficulty), guesses_(guesses), patience_(patience) {}

  std::string name() const override { return "sudoku"; }

  std::string about() const override { return "fill a 9x9 grid"; }
  std::string details() const override {
    switch (difficulty_) {
      case Difficulty::kEasy:
        return "31-36 givens, solved by naked singles as in the paper";
      case Difficulty::kHard:
        return "minimal puzzles: one solution, no given to spare";
      case Difficulty::kExtreme:
        return "minimal puzzles as in lists of the hardest";
    }
    return "";
  }

  std::optional<std::string> unfamiliar(std::string_view input) const override {
    constexpr int kFewest = 17;  // with fewer there are several solutions
    const int givens = count_givens(parse_grid(input));
    if (givens >= kFewest) return std::nullopt;
    return fmt::format("{} givens are not the {} or more", givens, kFewest);
  }

  Abilities abilities() const override {
    static const std::string kTyped = std::string(formats::kSudokuBlanks) + "|+-=";
    return {
        .symmetries = this, .views = this, .graded = this, .sudoku_files = true, .typed = kTyped};
  }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    if (difficulty_ == Difficulty::kExtreme) return generate_extreme(seed, split, item);
    Stream random = item_stream(seed, split, item);
    std::uint64_t most = 0;
    for (std::int64_t made = 0; made < patience_;) {
      const Grid solution = random_solution(random);
      if (in_test_split(invariant(solution)) != (split == Split::kTest)) continue;
      const Grid puzzle = difficulty_ == Difficulty::kEasy ? easy_puzzle(solution, random)
                                                           : minimal_puzzle(solution, random);
      const std::uint64_t guesses = guesses_ ? grade(puzzle).guesses : 0;
      if (!guesses_ || (guesses_->low <= guesses && guesses <= guesses_->high))
        return {render(puzzle), render(solution)};
      stop_if_interrupted();  // thousands may be made before one is hard enough
      most = std::max(most, guesses);
      ++made;
    }
    throw too_few_guesses(most);
  }

  std::string normalize_input(std::string_view text) const override {
    if (const auto puzzle = formats::find_sudoku(text)) return *puzzle;
    if (!formats::looks_like_cells(text))
      return attempt([&] { return render(parse_grid(text)); },
                     [&](const Error& error) -> std::string {
                       throw Error("no puzzle in " + in_quotes(text), error.expected());
                     });
    return render(parse_grid(text));  // in other lines than nine, or for its complaint
  }

  std::optional<Fault> contradiction(std::string_view input) const override {
    return clash_of_givens(parse_grid(input));
  }

  // If a puzzle has several solutions, the search returns the first that it meets.
  std::optional<std::string> solve(std::string_view input) const override {
    const std::optional<Grid> solution = first_solution(parse_grid(input));
    if (!solution) return std::nullopt;
    return render(*solution);
  }

  std::string drawn(std::string_view text) const override {
    if (text.size() != kCells) return std::string(text);
    std::string board;
    for (std::size_t i = 0; i < kCells; ++i) {
      board += text[i];
      if (i + 1 == kCells) break;
      board += column_of(i) == 8 ? "\n" : column_of(i) % 3 == 2 ? " | " : " ";
      if (column_of(i) == 8 && row_of(i) % 3 == 2) board += "------+-------+------\n";
    }
    return board;
  }

  Example augment(const Example& example, Stream& random) const override {
    const Symmetry symmetry = random_symmetry(random);
    return {render(symmetry.apply(parse_grid(example.input))),
            render(symmetry.apply(parse_grid(example.output)))};
  }

  View view(std::string_view input, Stream& random) const override {
    const Symmetry symmetry = random_symmetry(random);
    const auto places = symmetry.places();
    View view{render(symmetry.apply(parse_grid(input))), {places.begin(), places.end()}};
    for (std::size_t digit = 1; digit <= 9; ++digit)
      view.letters.emplace_back(static_cast<char>('0' + digit),
                                static_cast<char>('0' + symmetry.digits[digit]));
    return view;
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    return sudoku::verify(parse_grid(example.input), example.output, answer);
  }

  std::uint64_t guesses(const Example& example) const override {
    const Grade found = grade(parse_grid(example.input));
    return found.level == Level::kNoSolution      ? kNoSolution
           : found.level == Level::kManySolutions ? kManySolutions
                                                  : found.guesses;
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    return sudoku::explain(parse_grid(example.input), answer);
  }

 private:
  // What a walk has found so far, in its order. A walk goes on where it stopped, so items are made
  // one after the other; several walks let several threads work.
  struct Walk {
    explicit Walk(Stream random) : walk(random) {}
    std::mutex mutex;
    HardWalk walk;
    std::vector<Example> found;
    std::set<Grid> known;  // the puzzles found: walks come by again
  };

  Example generate_extreme(std::uint64_t seed, Split split, std::uint32_t item) const {
    constexpr std::uint32_t kWalks = 16;
    Walk& own = walk(seed, split, item % kWalks);
    const std::lock_guard lock(own.mutex);
    const std::size_t place = item / kWalks;
    double most = 0;
    for (std::int64_t made = 0; own.found.size() <= place;) {
      const HardWalk::Found next = own.walk.step();
      stop_if_interrupted();
      most = std::max(most, next.guesses);
      if (++made > patience_) throw too_few_guesses(static_cast<std::uint64_t>(most));
      const bool wanted = static_cast<double>(guesses_->low) <= next.guesses &&
                          next.guesses <= static_cast<double>(guesses_->high);
      if (!wanted || in_test_split(invariant(next.solution)) != (split == Split::kTest) ||
          !own.known.insert(next.puzzle).second)
        continue;
      own.found.push_back({render(next.puzzle), render(next.solution)});
      made = 0;
    }
    return own.found[place];
  }

  Walk& walk(std::uint64_t seed, Split split, std::uint32_t number) const {
    const std::lock_guard lock(walks_mutex_);
    auto& found = walks_[{seed, split, number}];
    if (!found) found = std::make_unique<Walk>(item_stream(seed, split, number));
    return *found;
  }

  Error too_few_guesses(std::uint64_t most) const {
    return Error(fmt::format("none of {} minimal Sudokus takes so many guesses", patience_),
                 "a range of --guesses that more puzzles take",
                 fmt::format("the hardest of these takes {}", most));
  }

  Difficulty difficulty_;
  std::optional<Guesses> guesses_;
  std::int64_t patience_;  // how many puzzles are made for one that is wanted
  mutable std::mutex walks_mutex_;
  mutable std::map<std::tuple<std::uint64_t, Split, std::uint32_t>, std::unique_ptr<Walk>> walks_;
};

struct Options {
  std::string difficulty = "easy", guesses;

  void visit(config::Visitor& v) {
    v.field("difficulty", difficulty,
            "sudoku: the paper's easy puzzles, random minimal ones, or some as hard as in lists of "
            "the hardest",
            config::one_of({"easy", "hard", "extreme"}));
    v.field(
        "guesses", guesses,
        "sudoku, hard and extreme: number of guesses that a puzzle takes after singles, such as "
        "10.. or 5..9; extreme: on average over its symmetric forms (empty = any; extreme: "
        "20..)");
  }
};

}  // namespace

const Family& family() {
  static const Family kFamily = with_options<Options>(
      {.name = "sudoku",
       .tasks = {"sudoku"},
       .kinds = {{"difficulty=hard"}, {}},
       .faults = [](std::string_view) -> FaultWords {
         return {{"given changed", "row clash", "column clash", "box clash", "blank cell",
                  "not a digit", "wrong length"}};
       }},
      [](std::string_view, const Options& options, bool) {
        return make_sudoku(options.difficulty == "easy"   ? Difficulty::kEasy
                           : options.difficulty == "hard" ? Difficulty::kHard
                                                          : Difficulty::kExtreme,
                           parse_guesses(options.guesses));
      });
  return kFamily;
}

std::optional<Guesses> parse_guesses(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t dots = text.find("..");
  const auto number = [&](std::string_view part, std::int64_t otherwise) {
    const auto value = part.empty() ? std::optional(otherwise) : parse_int(part);
    if (!value || *value < 0)
      throw UsageError(fmt::format("guesses {}", in_quotes(text)), "10.. or 5..9 or 7");
    return static_cast<std::uint64_t>(*value);
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (dots == std::string_view::npos) return Guesses{number(text, 0), number(text, 0)};
  const Guesses range{number(text.substr(0, dots), 0), number(text.substr(dots + 2), kMost)};
  if (range.low > range.high)
    throw UsageError(fmt::format("guesses {}", in_quotes(text)), "the smaller number first: 5..9");
  return range;
}

std::unique_ptr<Task> make_sudoku(Difficulty difficulty, std::optional<Guesses> guesses,
                                  std::int64_t patience) {
  if (guesses && difficulty == Difficulty::kEasy)
    throw UsageError("guesses with easy puzzles, which take none", "difficulty hard");
  if (difficulty == Difficulty::kExtreme && !guesses) guesses = parse_guesses("20..");
  return std::make_unique<Sudoku>(difficulty, guesses, patience);
}

}  // namespace mgdm::tasks::sudoku
