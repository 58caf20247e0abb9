#include "tasks/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"

namespace mgdm::tasks {
namespace {

TEST(Tasks, EveryNameMakesATaskThatKeepsTheContract) {
  for (const std::string& name : task_names()) {
    const auto task = make_task(name);
    EXPECT_EQ(task->name(), name);
    for (const Split split : {Split::kTrain, Split::kTest}) {
      const Example example = task->generate(1, split, 2);
      EXPECT_EQ(example, task->generate(1, split, 2));
      EXPECT_NE(example, task->generate(1, split, 3));
      EXPECT_NE(example, task->generate(2, split, 2));
      EXPECT_EQ(task->normalize_input(" " + example.input + "\n"), example.input);
      EXPECT_EQ(task->verify(example, example.output), (Verdict{true, true}));
      EXPECT_EQ(task->solve(example.input), example.output);
      EXPECT_TRUE(task->explain(example, example.output).empty());
      for (const std::string answer : {"", "?", "0", "1,1", "[MASK]"}) {
        EXPECT_FALSE(task->verify(example, answer).correct);
        EXPECT_FALSE(task->explain(example, answer).empty()) << name << " " << answer;
      }
      EXPECT_THROW(task->verify({"nonsense", ""}, ""), Error) << name;
    }
  }
}

// People put a space after a comma.
TEST(Tasks, SpacesAroundSeparatorsDoNotCount) {
  std::vector<std::string> names = task_names();
  for (const std::string& name : variant_names())
    if (make_task(name)->abilities().generates) names.push_back(name);
  for (const std::string& name : names) {
    const auto task = make_task(name);
    const Example example = task->generate(1, Split::kTest, 2);
    std::string after, around;
    for (const char c : example.input) {
      const bool separates = c == ',' || c == '/' || c == '-';
      after += separates ? std::string(1, c) + ' ' : std::string(1, c);
      around += separates ? std::string(" ") + c + "\t " : std::string(1, c);
    }
    EXPECT_EQ(task->normalize_input(after), example.input) << name;
    EXPECT_EQ(task->normalize_input(around), example.input) << name;
  }
  EXPECT_THROW(make_task("countdown-3")->normalize_input("8 6,28,13,96"), Error);
  EXPECT_EQ(make_task("countdown-3")->normalize_input("86 28 13 96"), "86,28,13,96");
  EXPECT_THROW(make_task("countdown-4")->normalize_input("8 6,28,13,96"), Error);
  EXPECT_THROW(make_task("planning")->normalize_input("1 0,2/2,3-1,3"), Error);
}

TEST(Tasks, TwinsAreSolvedPuzzles) {
  for (const std::string name : {"planning", "sudoku", "sat-5", "sat-9"}) {
    const auto task = make_task(name);
    for (std::uint32_t item = 0; item < 20; ++item) {
      const Example example = task->generate(0, Split::kTrain, item);
      Stream random(0, Purpose::kAugment, item);
      const Symmetries& symmetries = *task->abilities().symmetries;
      const Example copy = symmetries.augment(example, random);
      EXPECT_NE(copy.input, example.input) << name;
      EXPECT_EQ(task->verify(copy, copy.output), (Verdict{true, true})) << name;
      EXPECT_EQ(task->solve(copy.input), copy.output) << name;
      if (const Lookahead* const lookahead = task->abilities().lookahead) {
        EXPECT_EQ(lookahead->planning_distance(copy), lookahead->planning_distance(example));
      }
      EXPECT_LE(copy.input.size() + copy.output.size(), symmetries.longest_copy(example)) << name;
    }
  }
}

TEST(Tasks, ReversedOutputs) {
  const auto task = make_task("planning");
  EXPECT_EQ(reversed_output(*task, "8,2/2,0/0,3"), "3,0/0,2/2,8");
  EXPECT_EQ(reversed_output(*task, reversed_output(*task, "8,2/2,0/0,3")), "8,2/2,0/0,3");
  EXPECT_THROW(reversed_output(*task, "8"), Error);
  try {
    reversed_output(*make_task("sudoku"), "8");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.expected(), "planning");
  }
}

TEST(Tasks, UnknownNamesAndMisplacedOptions) {
  for (const char* name :
       {"", "sudko", "countdown", "countdown-2", "countdown-7", "sat-4", "sat-10"})
    EXPECT_THROW(make_task(name), UsageError) << name;
  try {
    make_task("contdown-4");
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'countdown-4'?"), std::string::npos);
  }
  EXPECT_THROW(make_task("sudoku", {"nodes=4"}), UsageError);
  EXPECT_THROW(make_task("planning", {"difficulty=hard"}), UsageError);
  EXPECT_THROW(make_task("planning", {"guesses=1..2"}), UsageError);
  EXPECT_THROW(make_task("search-4", {"largest=13"}), UsageError);
  EXPECT_THROW(make_task("sudoku", {"labels=any"}), UsageError);
  EXPECT_THROW(make_task("sudoku", {"size=4"}), UsageError);
  try {
    make_task("sat-5", {"difficulty=hard"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.seen(), "sat-5 has no option difficulty");
    EXPECT_EQ(error.expected(), "difficulty only with sudoku");
    EXPECT_EQ(error.hint(), "difficulty=easy, the default");
  }
}

TEST(Tasks, OptionsAreOneListOfAllFamilies) {
  using Texts = std::vector<std::string>;
  const Options options{"nodes=4", "difficulty=hard", "largest=99"};
  EXPECT_EQ(options.chosen(), (Texts{"nodes=4", "difficulty=hard"}));  // not what is the default
  EXPECT_EQ(options.of_task("sudoku"), (Texts{"difficulty=hard", "guesses="}));
  EXPECT_EQ(options.of_task("search-4"), (Texts{"largest=99", "labels=first"}));
  EXPECT_EQ(options.of_task("sat-5"), Texts{});
  EXPECT_EQ(Options(options.chosen()), options);
  EXPECT_FALSE(Options() == options);
  Options changed = options;
  config::Fields(changed).set("nodes=6");
  EXPECT_EQ(changed.chosen(), Texts{"difficulty=hard"});
  EXPECT_EQ(options.chosen().size(), 2u);  // a copy has values of its own
}

// A kind is a set of options that the task takes; the default comes among them.
TEST(Tasks, KindsAreOptionsOfTheTask) {
  for (const std::string& name : task_names()) {
    bool usual = false;
    for (const std::vector<std::string>& kind : family_of(name).kinds) {
      const Options options(kind);
      EXPECT_NO_THROW(make_task(name, options)) << name;
      usual |= options == Options();
    }
    EXPECT_TRUE(usual) << name;
  }
}

// Every word that a task has for a fault.
TEST(Tasks, FaultWordsAreThoseThatAnswersShow) {
  std::vector<std::string> names = task_names();
  for (const std::string& name : variant_names())
    if (make_task(name)->abilities().generates) names.push_back(name);
  for (const std::string& name : names) {
    const auto task = make_task(name);
    const FaultWords faults = family_of(name).faults(name);
    const Example puzzle = task->generate(3, Split::kTest, 0);
    std::set<std::string> seen;
    const auto look = [&](const std::string& answer) {
      for (const Fault& fault : task->explain(puzzle, answer)) {
        seen.insert(fault.category);
        EXPECT_TRUE(contains(faults.by_place, fault.category) ||
                    contains(faults.words, fault.category))
            << name << ": " << fault.category;
      }
    };
    look("");
    for (std::size_t at = 0; at < std::min<std::size_t>(puzzle.output.size(), 100); ++at) {
      std::string answer = puzzle.output;
      look(answer.substr(0, at));
      for (const char c : std::string("0123456789,/+-*=abcdefghi")) {
        answer[at] = c;
        look(answer);
      }
    }
    EXPECT_GT(seen.size(), contains(task_names(), name) ? 2u : 0u) << name;
    EXPECT_EQ(faults.places > 0, family_of(name).name == "countdown");
  }
}

TEST(Tasks, AbilitiesAreTrue) {
  for (const std::string& name : task_names()) {
    const auto task = make_task(name);
    const Example example = task->generate(0, Split::kTrain, 0);
    const Abilities abilities = task->abilities();
    EXPECT_EQ(abilities.sudoku_files, example.input.size() == 81) << name;
    EXPECT_EQ(abilities.variables.has_value(), name.starts_with("sat-")) << name;
    EXPECT_TRUE(abilities.failures || task->verify(example, example.output).correct) << name;
  }
  // Errors and help name the tasks that have an ability.
  EXPECT_EQ(tasks_with(&Abilities::symmetries),
            "planning, sudoku, sat-5, sat-6, sat-7, sat-8 or sat-9");
  EXPECT_EQ(tasks_with(&Abilities::released), "planning, countdown-3, countdown-4 or countdown-5");
  EXPECT_EQ(tasks_with(&Abilities::graded), "sudoku");
}

// An answer as it is written under a view.
std::string seen_as(const View& view, std::string answer) {
  for (char& letter : answer)
    for (const auto& [from, to] : view.letters)
      if (letter == from) {
        letter = to;
        break;
      }
  std::string seen = answer;
  for (std::size_t i = 0; i < view.places.size(); ++i) seen[view.places[i]] = answer[i];
  return seen;
}

// Right answers stay right under every view and wrong ones wrong.
TEST(Tasks, ViewsAreTheSamePuzzle) {
  for (const std::string& name : task_names()) {
    const auto task = make_task(name);
    const Views* const views = task->abilities().views;
    if (views == nullptr) continue;
    Stream random(1, Purpose::kTest, 0);
    int others = 0;
    for (std::uint32_t item = 0; item < 20; ++item) {
      const Example example = task->generate(0, Split::kTrain, item);
      const View view = views->view(example.input, random);
      others += view.input != example.input;
      EXPECT_EQ(view.input, task->normalize_input(view.input));
      EXPECT_EQ(view.input.size(), example.input.size());
      EXPECT_TRUE(task->verify({view.input, ""}, seen_as(view, example.output)).correct)
          << name << ": " << example.input << " seen as " << view.input;
      std::string wrong = example.output;
      std::reverse(wrong.begin(), wrong.end());
      EXPECT_EQ(task->verify({example.input, ""}, wrong).correct,
                task->verify({view.input, ""}, seen_as(view, wrong)).correct);
    }
    EXPECT_GT(others, 10) << name;
  }
}

TEST(Judge, SpecialTokens) {
  const auto task = make_task("countdown-3");
  const Example example{"1,2,3,6", "1+2=3,3+3=6"};
  EXPECT_EQ(judge(*task, example, "1+2=3,3+3=6"), (Verdict{true, true}));
  EXPECT_EQ(judge(*task, example, "1+2=3,3+3=6[EOS][PAD][PAD]"), (Verdict{true, true}));
  // The released code drops special tokens wherever they stand; strictly this is no answer.
  EXPECT_EQ(judge(*task, example, "1+[MASK]2=3,3+3=6"), (Verdict{false, true}));
  // Strictly, what stands after [EOS] does not count; the released code reads on.
  EXPECT_EQ(judge(*task, example, "1+2=3,3+3=6[EOS]7"), (Verdict{true, false}));
}

// A task of one's own: words in, words out, judged by the label alone.
class Echo final : public Task {
 public:
  std::string name() const override { return "echo"; }
  std::string about() const override { return "say it again"; }
  Example generate(std::uint64_t, Split, std::uint32_t item) const override {
    return {std::to_string(item), std::to_string(item)};
  }
  std::string normalize_input(std::string_view text) const override { return std::string(text); }
  std::optional<std::string> solve(std::string_view) const override { return std::nullopt; }
  bool can_solve() const override { return false; }
  Verdict verify(const Example& example, std::string_view answer) const override {
    const bool same = answer == example.output;
    return {same, same, true, !example.output.empty()};
  }
  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    if (answer == example.output) return {};
    return {{"another answer", 0, "the label is another"}};
  }
};

TEST(Judge, AnAnswerIsRightOrWrongOrNotChecked) {
  const Echo echo;
  const Check right = check(echo, {"a", "a"}, "a[EOS][PAD]");
  EXPECT_TRUE(right.right());
  EXPECT_TRUE(right.faults.empty());
  const Check wrong = check(echo, {"a", "a"}, "b[EOS]");
  EXPECT_TRUE(wrong.wrong());
  ASSERT_EQ(wrong.faults.size(), 1u);
  EXPECT_EQ(wrong.faults[0].category, "another answer");
  const Check unknown = check(echo, {"a", ""}, "b[EOS]");
  EXPECT_FALSE(unknown.right());
  EXPECT_FALSE(unknown.wrong());
  EXPECT_TRUE(unknown.faults.empty());
  EXPECT_EQ(name_of(right.result), "right");
  EXPECT_EQ(name_of(wrong.result), "wrong");
  EXPECT_EQ(name_of(unknown.result), "not checked");
}

TEST(Score, LeavesOutWhatIsNotChecked) {
  Score score, other;
  score.add(Echo(), {"a", "a"}, "a");
  other.add(Echo(), {"a", ""}, "a");
  other.add(Echo(), {"a", "b"}, "a");
  score.add(other);
  EXPECT_EQ(score.all.n, 2u);
  EXPECT_EQ(score.all.correct, 1u);
  EXPECT_EQ(score.not_checked, 1u);
  // A fault of the whole answer has no place.
  EXPECT_EQ(score.errors.at("another answer").answers, 1u);
  EXPECT_TRUE(score.errors.at("another answer").by_place.empty());
  EXPECT_TRUE(score.errors.at("another answer").at_place.empty());
}

TEST(Score, EachMetricHasItsStandardError) {
  Tally tally;
  for (int i = 0; i < 100; ++i) tally.add(Verdict{i < 50, i < 90});
  EXPECT_DOUBLE_EQ(tally.standard_error(), 0.05);
  EXPECT_NEAR(tally.standard_error_paper().value(), 0.03, 1e-12);
  EXPECT_EQ(Tally().standard_error_paper(), std::nullopt);
}

TEST(Score, SudokusAreCountedByGuesses) {
  const std::vector<std::string> names = {"0",    "1-4",   "1-4",   "5-19", "5-19",
                                          "5-19", "20-49", "20-49", "50+",  "50+"};
  std::vector<std::string> found;
  for (const std::uint64_t guesses : {0u, 1u, 4u, 5u, 6u, 19u, 20u, 49u, 50u, 1000u})
    found.push_back(name_of_guesses(first_of_guesses(guesses)));
  EXPECT_EQ(found, names);

  const auto hard = make_task("sudoku", {"difficulty=hard", "guesses=5..19"});
  const auto easy = make_task("sudoku");
  Score score, other;
  for (std::uint32_t item = 0; item < 3; ++item) {
    const Example puzzle = hard->generate(1, Split::kTest, item);
    score.add(*easy, puzzle, item == 0 ? puzzle.input : puzzle.output);
    const Example simple = easy->generate(1, Split::kTest, item);
    other.add(*easy, simple, simple.output);
  }
  // The last cell of the first row can be no digit; a blank grid has any number of solutions.
  other.add(*easy, {"123456780000000009" + std::string(63, '0'), ""}, "");
  other.add(*easy, {std::string(81, '0'), ""}, "");
  score.add(other);
  ASSERT_EQ(score.by_guesses.size(), 4u);
  EXPECT_EQ(score.by_guesses.at(0).n, 3u);
  EXPECT_EQ(score.by_guesses.at(Graded::kNoSolution).n, 1u);
  EXPECT_EQ(score.by_guesses.at(Graded::kManySolutions).n, 1u);
  EXPECT_EQ(name_of_guesses(Graded::kNoSolution), "no solution");
  EXPECT_EQ(name_of_guesses(Graded::kManySolutions), "many solutions");
  EXPECT_EQ(score.by_guesses.at(0).correct, 3u);
  EXPECT_EQ(score.by_guesses.at(5).n, 3u);
  EXPECT_EQ(score.by_guesses.at(5).correct, 2u);
}

TEST(Score, ThePapersMetricIsOverWhatItAppliesTo) {
  const auto task = make_task("sat-5");
  Score score;
  score.add(*task, {"1,2,3", ""}, "1,2,3,4,5[EOS]");
  EXPECT_EQ(score.all.accuracy(), 1);
  EXPECT_EQ(score.all.accuracy_paper(), std::nullopt);
  Score labelled;
  labelled.add(*task, {"1,2,3", "1,2,3,4,5"}, "1,2,3,4,5[EOS]");
  score.add(labelled);
  EXPECT_EQ(score.all.n, 2u);
  EXPECT_EQ(score.all.n_paper, 1u);
  EXPECT_EQ(score.all.accuracy_paper(), 1);
}

// An answer of table 9 of the paper.
TEST(Score, CountsAFaultWhereItShowsFirstAndEverywhere) {
  Score score;
  score.add(*make_task("countdown-4"), {"64,36,52,42,14", "64-52=12,36/12=3,42/3=14"},
            "64/36=2,52/2=26,42-26=14");
  using Places = std::map<int, std::size_t>;
  EXPECT_EQ(score.errors.at("calculation error").answers, 1u);
  EXPECT_EQ(score.errors.at("calculation error").by_place, (Places{{1, 1}}));
  EXPECT_EQ(score.errors.at("calculation error").at_place, (Places{{1, 1}, {3, 1}}));
}

TEST(Score, AddsUpInAnyGrouping) {
  const auto task = make_task("planning");
  Score all, first, second;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const Example example = task->generate(0, Split::kTest, i);
    const std::string answer = i % 3 == 0 ? example.output : i % 3 == 1 ? "1,1" : "";
    all.add(*task, example, answer);
    (i % 2 == 0 ? first : second).add(*task, example, answer);
  }
  EXPECT_EQ(all.all.n, 60u);
  EXPECT_EQ(all.all.correct, 20u);
  EXPECT_DOUBLE_EQ(all.all.accuracy(), 1.0 / 3);
  EXPECT_NEAR(all.all.standard_error(), std::sqrt(2.0 / 9 / 60), 1e-12);
  EXPECT_EQ(all.errors.at("illegal edge").answers, 20u);
  EXPECT_EQ(all.errors.at("illegal edge").by_place.at(1), 20u);
  EXPECT_EQ(all.errors.at("malformed answer").answers, 20u);
  std::size_t by_distance = 0;
  for (const auto& [distance, tally] : all.by_planning_distance) by_distance += tally.n;
  EXPECT_EQ(by_distance, 60u);
  first.add(second);
  EXPECT_EQ(first.all.correct, all.all.correct);
  EXPECT_EQ(first.errors.at("illegal edge").by_place, all.errors.at("illegal edge").by_place);
  EXPECT_EQ(first.errors.at("illegal edge").at_place, all.errors.at("illegal edge").at_place);
  EXPECT_EQ(first.by_planning_distance.size(), all.by_planning_distance.size());
}

}  // namespace
}  // namespace mgdm::tasks
