#include "tasks/countdown/released.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "formats/jsonl.h"
#include "tasks/countdown/search.h"
#include "tasks/countdown/search_text.h"
#include "tasks/countdown/stream_of_search.h"

namespace mgdm::tasks::countdown {
namespace {

constexpr std::size_t kTrain = 500'000, kTest = 1000;
constexpr std::size_t kHeldOut = 9;

// The training examples that the paper's authors drew before those of the test.
constexpr std::size_t trained_before_test(int count) { return count == 4 ? 220'000 : kTrain; }

std::string quoted(const std::vector<Equation>& equations) {
  std::string out;
  for (const Equation& equation : equations)
    out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", render(equation));
  return out;
}

class ReleasedCountdown : public Released {
 public:
  ReleasedCountdown(int count, Split split, Answer answer)
      : count_(count), split_(split), answer_(answer), random_(static_cast<std::uint64_t>(count)) {
    std::iota(targets_.begin(), targets_.end(), Number{10});
    random_.shuffle(std::span<Number>(targets_));
    problem_.numbers.resize(static_cast<std::size_t>(count));
  }

  std::size_t passed_over() const override {
    return split_ == Split::kTest ? trained_before_test(count_) : 0;
  }

  std::size_t size() const override { return split_ == Split::kTest ? kTest : kTrain; }

  bool goes_on() const override { return true; }

  Example next() override {
    const bool test = split_ == Split::kTest && made_ >= passed_over();
    ++made_;
    random_.randint(count_, count_);  // how many numbers
    const std::span<const Number> targets(targets_);
    problem_.target = random_.choice(test ? targets.first(kHeldOut) : targets.subspan(kHeldOut));
    do {
      for (Number& number : problem_.numbers) number = random_.randint(1, 99);
      solution_ = first_solution(problem_.numbers, problem_.target);
    } while (!solution_);
    if (!has_traces(count_)) {
      example_ = {render(problem_), render(*solution_)};
      return example_;
    }
    kind_.heuristic = random_.below(2) == 0 ? Heuristic::kSum : Heuristic::kMult;
    const bool breadth_first = random_.below(2) == 1;
    kind_.beam = breadth_first ? 1 + static_cast<int>(random_.below(5)) : 0;
    at_search_ = random_;
    example_ = {render(problem_), ""};
    const bool wanted = split_ == Split::kTrain || test;  // those passed over need no text
    if (answer_ == Answer::kSearch && wanted)  // its end is stripped, as for training there
      example_.output = trim(trace_search(problem_, kind_, random_).text);
    else
      draw_search(problem_, kind_, random_);
    if (answer_ == Answer::kOptimalPath)
      example_.output = trim(optimal_path(problem_, *solution_, Twins::kAllGo));
    if (answer_ == Answer::kSolution) example_.output = render(*solution_);
    return example_;
  }

  std::string line() const override {
    return formats::jsonl_line({{"input", example_.input}, {"output", example_.output}});
  }

  // The members that the generator of Stream of Search writes.
  std::string trace_line() const override {
    PythonRandom random = at_search_;
    const Trace trace = trace_search(problem_, kind_, random);
    return fmt::format(
        "{{\"nums\": [{}], \"target\": {}, \"solution\": [{}], \"search_type\": \"{}\", "
        "\"heuristic\": \"{}\", \"rating\": {}, \"search_path\": {}}}\n",
        joined_by(problem_.numbers, ", "), problem_.target, quoted(*solution_),
        kind_.beam == 0 ? "dfs" : fmt::format("bfs_{}", kind_.beam),
        kind_.heuristic == Heuristic::kSum ? "sum_heuristic" : "mult_heuristic", rating(trace),
        formats::json_string(trace.text));
  }

 private:
  // 1 for a search that goes straight to the target, 0 for one that fails; in Python's notation.
  std::string rating(const Trace& trace) const {
    const double part = (1.0 + trace.explored) / most_operations(count_);
    return trace.reached && part < 1 ? fmt::format("{}", 1 - part) : "0.0";
  }

  const int count_;
  const Split split_;
  const Answer answer_;
  PythonRandom random_;
  std::array<Number, 91> targets_{};  // 10..100 shuffled; the first are the held-out ones
  std::size_t made_ = 0;

  // The last example, and the generator as it was before its search.
  Example example_;
  Problem problem_;
  std::optional<std::vector<Equation>> solution_;
  SearchKind kind_;
  PythonRandom at_search_{0};
};

}  // namespace

bool has_released(int count) { return count >= 3 && count <= 5; }
bool has_traces(int count) { return has_released(count) && count < 5; }

std::unique_ptr<Released> make_released(int count, Split split, Answer answer) {
  MGDM_CHECK(answer == Answer::kSolution ? has_released(count) : has_traces(count));
  return std::make_unique<ReleasedCountdown>(count, split, answer);
}

}  // namespace mgdm::tasks::countdown
