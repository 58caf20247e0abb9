#include "tasks/countdown/search_task.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "tasks/countdown/generate.h"
#include "tasks/countdown/problem.h"
#include "tasks/countdown/search.h"
#include "tasks/countdown/search_text.h"
#include "tasks/countdown/stream_of_search.h"
#include "tasks/countdown/verify.h"
#include "tasks/released.h"

namespace mgdm::tasks::countdown {
namespace {

class SearchTask : public Task, public ReleasedData {
 public:
  SearchTask(int count, Answer written) : count_(count), written_(written) {}

  std::string name() const override {
    return fmt::format("{}-{}", written_ == Answer::kSearch ? "search" : "optimal", count_);
  }

  std::string about() const override {
    return fmt::format(
        "countdown-{} by the text of {}", count_,
        written_ == Answer::kSearch ? "a search for the solution" : "the path to the solution");
  }

  Abilities abilities() const override {
    return {.released = has_traces(count_) ? this : nullptr,
            .traces = has_traces(count_),
            .failures = written_ == Answer::kSearch};
  }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    Stream random = item_stream(seed, split, item);
    Example example = countdown::generate(random, count_, split, {});
    const Problem problem = parse_problem(example.input, count_);
    if (written_ == Answer::kOptimalPath) {
      example.output =
          trimmed(optimal_path(problem, *first_solution(problem.numbers, problem.target)));
      return example;
    }
    SearchKind kind{random.below(2) == 0 ? Heuristic::kSum : Heuristic::kMult};
    if (random.below(2) == 1) kind.beam = 1 + static_cast<int>(random.below(5));
    PythonRandom shuffling(random.next());
    example.output = trimmed(trace_search(problem, kind, shuffling).text);
    return example;
  }

  std::unique_ptr<Released> released(Split split) const override {
    return make_released(count_, split, written_);
  }

  std::string normalize_input(std::string_view text) const override {
    return render(parse_problem(without_space_around(",", text), count_));
  }

  std::string no_solution() const override { return kNoneInWholeNumbers; }

  std::optional<std::string> unfamiliar(std::string_view input) const override {
    return never_drawn(parse_problem(input, count_), {});
  }

  // The first search that gets there, or the path itself where none does.
  std::optional<std::string> solve(std::string_view input) const override {
    const Problem problem = parse_problem(input, count_);
    const auto solution = first_solution(problem.numbers, problem.target);
    if (!solution) return std::nullopt;
    if (written_ == Answer::kSearch)
      for (const int beam : {0, 1, 2, 3, 4, 5})
        for (const Heuristic heuristic : {Heuristic::kSum, Heuristic::kMult}) {
          PythonRandom random(0);
          const Trace trace = trace_search(problem, {heuristic, beam}, random);
          if (trace.reached) return trimmed(trace.text);
        }
    return trimmed(optimal_path(problem, *solution));
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    const Problem problem = parse_problem(example.input, count_);
    return {correct(problem, found_solution(answer)), search_correct_as_released(problem, answer)};
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    const std::string found = found_solution(answer);
    if (found.empty())
      return {{"goal not reached", 0,
               "the text does not end with a search that says it has reached the goal"}};
    return countdown::explain(parse_problem(example.input, count_), found);
  }

 private:
  static std::string trimmed(const std::string& text) { return std::string(trim(text)); }

  const int count_;
  const Answer written_;
};

}  // namespace

std::unique_ptr<Task> make_search_task(int count, Answer written) {
  MGDM_CHECK(has_released(count) && written != Answer::kSolution);
  return std::make_unique<SearchTask>(count, written);
}

}  // namespace mgdm::tasks::countdown
