#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"
#include "tasks/family.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/generate.h"
#include "tasks/sat/padding.h"
#include "tasks/sat/solve.h"
#include "tasks/sat/symmetry.h"
#include "tasks/sat/verify.h"

namespace mgdm::tasks::sat {
namespace {

// What the released code counts: the answer is the stored label. Without one it says nothing.
Verdict verdict(bool correct, const Example& example, std::string_view answer) {
  const bool labelled = !example.output.empty();
  return {correct, labelled && answer == example.output, labelled};
}

// "sat-5" to "sat-9": the paper's task, in its notation (formula.h).
class Sat : public Task, public Symmetries, public Views, public Padding {
 public:
  explicit Sat(int variables) : notation_(Notation::of(variables)), generator_(variables) {}

  std::string name() const override { return fmt::format("sat-{}", notation_.variables()); }

  std::string about() const override {
    const int n = notation_.variables();
    return fmt::format("3-SAT, {} variables, {} clauses: find values that satisfy every clause", n,
                       clause_count(n));
  }
  std::string details() const override {
    const int n = notation_.variables();
    std::string negations;
    for (int v = 1; v <= n; ++v) negations += std::string(" ") + notation_.character(-v);
    return fmt::format("1 to {} are the variables,{} their negations", n, negations);
  }

  Abilities abilities() const override {
    return {.symmetries = this, .views = this, .padding = this, .variables = notation_.variables()};
  }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    Stream random = item_stream(seed, split, item);
    while (true) {
      const Puzzle puzzle = generator_.draw(random);
      if (in_test_split(canonical_form(puzzle.formula)) == (split == Split::kTest))
        return {render_formula(puzzle.formula, notation_), render_answer(puzzle.label, notation_)};
    }
  }

  std::string normalize_input(std::string_view text) const override {
    const std::string tight =
        is_dimacs(text) ? std::string(text) : without_space_around(",/", text);
    return render_formula(parse_formula(tight, notation_), notation_);
  }

  std::string normalize_answer(std::string_view text) const override {
    if (claims_unsatisfiable(text))
      throw Error("the answer claims unsatisfiable", "values: puzzles of " + name() + " have some",
                  "the task 'sat', which looks whether that is true");
    return attempt(
        [&] {
          std::vector<int> literals = parse_answer(text);
          std::ranges::sort(literals, {}, [](int literal) { return std::abs(literal); });
          const bool ours = std::ranges::all_of(
              literals, [&](int literal) { return std::abs(literal) <= notation_.variables(); });
          return ours ? render_answer(literals, notation_) : std::string(text);
        },
        [&](const Error&) { return std::string(text); });
  }

  std::optional<std::string> unfamiliar(std::string_view input) const override {
    const Formula formula = parse_formula(input, notation_);
    const int drawn = clause_count(notation_.variables());
    if (sat::padded(formula, static_cast<std::size_t>(drawn))) return std::nullopt;
    const bool some_short = formula.literals.size() < 3 * formula.size();
    return fmt::format("{} clauses{} are not the {}", formula.size(),
                       some_short ? ", some of them short," : "", drawn);
  }

  std::optional<Padded> padded(std::string_view input) const override {
    const Formula formula = parse_formula(input, notation_);
    const auto drawn = static_cast<std::size_t>(clause_count(notation_.variables()));
    const std::optional<Formula> padded = sat::padded(formula, drawn);
    if (!padded || *padded == formula) return std::nullopt;
    return Padded{render_formula(*padded, notation_), [](std::string answer) { return answer; }};
  }

  std::optional<std::string> solve(std::string_view input) const override {
    const Model model = first_model(parse_formula(input, notation_));
    if (!model) return std::nullopt;
    return render_answer(*model, notation_);
  }

  Example augment(const Example& example, Stream& random) const override {
    Example copy = random_copy(example, notation_, random);
    copy.output = solve(copy.input).value_or("");  // its first model, which need not be the image
    return copy;
  }

  // Clauses may stand in any order. Under other names for the variables another model would be the
  // first, which is what networks learn to give.
  View view(std::string_view input, Stream& random) const override {
    const Formula formula = parse_formula(input, notation_);
    return {render_formula(with_shuffled_clauses(formula, random), notation_)};
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    return verdict(is_correct(example.input, answer, notation_), example, answer);
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    return faults(example.input, answer, notation_);
  }

 private:
  const Notation& notation_;
  const Generator generator_;
};

// "sat": formulas of any size as DIMACS, to be solved and judged; they cannot be generated.
class SatAny : public Task {
 public:
  std::string name() const override { return "sat"; }

  std::string about() const override {
    return "SAT formulas of any size as DIMACS CNF, to be solved and judged";
  }
  Abilities abilities() const override { return {.generates = false}; }

  Example generate(std::uint64_t, Split, std::uint32_t) const override {
    throw UsageError("the task 'sat' cannot generate formulas",
                     fmt::format("sat-{} to sat-{}", kMinVariables, kMaxVariables));
  }

  std::string normalize_input(std::string_view text) const override {
    return formats::write_dimacs(parse(text));
  }

  std::optional<std::string> solve(std::string_view input) const override {
    const Model model = sat::solve(parse(input));
    if (!model) return std::nullopt;
    return render_answer(*model);
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    return verdict(is_correct(parse(example.input), answer), example, answer);
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    return faults(parse(example.input), answer);
  }

 private:
  static Formula parse(std::string_view text) {
    if (!is_dimacs(text))
      throw Error(fmt::format("{} is not DIMACS", in_quotes(text)),
                  "'p cnf VARIABLES CLAUSES' and clauses that end with 0",
                  fmt::format("sat-{} to sat-{} for formulas such as 1,c,4/b,2,3", kMinVariables,
                              kMaxVariables));
    return formats::read_dimacs(text);
  }
};

Family sat_family() {
  Family family{.name = "sat", .tasks = {}, .variants = {"sat"}};
  for (int n = kMinVariables; n <= kMaxVariables; ++n)
    family.tasks.push_back(fmt::format("sat-{}", n));
  family.faults = [](std::string_view) -> FaultWords {
    return {{"unsatisfied clause", "variable missing", "variable twice", "malformed answer",
             "satisfiable after all"}};
  };
  return with_options<NoOptions>(
      std::move(family),
      [](std::string_view task, const NoOptions&, bool) -> std::unique_ptr<Task> {
        if (task == "sat") return std::make_unique<SatAny>();
        return std::make_unique<Sat>(number_after("sat-", task));
      });
}

}  // namespace

const Family& family() {
  static const Family kFamily = sat_family();
  return kFamily;
}

}  // namespace mgdm::tasks::sat
