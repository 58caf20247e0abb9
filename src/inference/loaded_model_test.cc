#include "inference/loaded_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "inference/solve.h"
#include "inference/test_support.h"
#include "tasks/all_tasks.h"

namespace mgdm::inference {
namespace {

using tasks::Example;

std::vector<std::string> inputs_of(const std::vector<Example>& examples) {
  std::vector<std::string> inputs;
  for (const Example& example : examples) inputs.push_back(example.input);
  return inputs;
}

decoding::DecodingSettings steps(std::int64_t count) {
  decoding::DecodingSettings settings;
  settings.steps = count;
  settings.noise = 0;
  return settings;
}

// A model that would answer at random: only what it is matters here.
LoadedModel of_kind(const std::string& objective, const std::string& architecture = "gpt2") {
  spec::ModelSettings model;
  model.architecture = architecture;
  const data::Vocabulary vocabulary;
  auto network = std::make_unique<decoding::FunctionNetwork>(
      decoding::random_network(1, static_cast<std::size_t>(vocabulary.size())));
  return {{.network = std::move(network), .device = "nothing"},
          model,
          {.task = "planning", .length = 28, .objective = objective},
          vocabulary};
}

std::vector<Prepared> prepared(const LoadedModel& model, const std::vector<Example>& examples) {
  std::vector<Prepared> puzzles;
  for (const Example& example : examples) puzzles.push_back(model.prepare(example.input));
  return puzzles;
}

TEST(Solve, AnswersWhateverTheBatch) {
  const auto examples = planning_examples(7);
  const LoadedModel model = scripted_model("planning", 28, examples);
  for (const std::size_t batch : {1u, 2u, 64u}) {
    std::set<std::size_t> started, answered;
    solve_each(
        model, prepared(model, examples), 0, steps(4), batch,
        [&](std::size_t i, Solved&& solved) {
          EXPECT_TRUE(answered.insert(i).second);
          EXPECT_TRUE(solved.first.text.starts_with(examples[i].output + "[EOS]"));
          EXPECT_EQ(solved.first.passes, 4);
        },
        [&](std::size_t i, const StepText&) {
          started.insert(i);
          EXPECT_LE(started.size() - answered.size(), batch);
          return true;
        });
    EXPECT_EQ(answered.size(), 7u);
  }
  solve_each(model, {}, 0, steps(4), 1, [](std::size_t, Solved&&) { FAIL(); });
}

TEST(Solve, AnObserverMayEndItsPuzzle) {
  const auto examples = planning_examples(3);
  const LoadedModel model = scripted_model("planning", 28, examples);
  const std::vector<Prepared> puzzles = prepared(model, examples);
  std::vector<int> seen(3);
  std::vector<Solved> all(3);
  const auto take = [&](std::size_t i, Solved&& solved) { all[i] = std::move(solved); };
  solve_each(model, puzzles, 5, steps(4), 3, take, [&](std::size_t i, const StepText&) {
    ++seen[i];
    return i != 1;
  });
  EXPECT_EQ(seen, (std::vector<int>{4, 1, 4}));
  EXPECT_EQ(all[1].first.passes, 1);
  EXPECT_NE(all[1].first.text.find("[MASK]"), std::string::npos);
  // An observer that throws ends the call, and the next call works.
  EXPECT_THROW(solve_each(model, puzzles, 5, steps(4), 3, take,
                          [](std::size_t, const StepText&) -> bool { throw Error("no"); }),
               Error);
  all.assign(3, {});
  solve_each(model, puzzles, 5, steps(4), 3, take);
  for (const Solved& solved : all) EXPECT_EQ(solved.first.passes, 4);
}

TEST(LoadedModel, ResolvesWhatTheKindDecides) {
  EXPECT_EQ(of_kind("teacherless").resolved(steps(9)).steps, 1);
  EXPECT_EQ(of_kind("mgdm").resolved(steps(9)).steps, 9);
  EXPECT_EQ(of_kind("mgdm").resolved(steps(9)).revise, "on");  // shifted logits
  decoding::DecodingSettings tries = steps(9);
  tries.tries = 3;
  const std::vector<Example> nothing;
  const LoadedModel without_forms = scripted_model("search-3", 64, nothing);
  EXPECT_THROW(without_forms.resolved(tries), UsageError);  // no noise: all the same
  EXPECT_NO_THROW(of_kind("ar").resolved(tries));           // of other forms of the puzzle
  tries.noise = 0.5;
  EXPECT_NO_THROW(without_forms.resolved(tries));
  decoding::DecodingSettings loops = steps(9);
  loops.loops = 8;
  EXPECT_THROW(of_kind("mgdm").resolved(loops), UsageError);
  EXPECT_NO_THROW(of_kind("mgdm", "looped").resolved(loops));
  EXPECT_THROW(of_kind("ar", "looped").resolved(loops), UsageError);
}

TEST(LoadedModel, RefusesSymmetriesWhereThereAreNone) {
  decoding::DecodingSettings settings = steps(4);
  settings.symmetries = 4;
  for (const char* objective : {"mgdm", "teacherless", "d3pm_uniform", "ar", "vdm"}) {
    EXPECT_EQ(of_kind(objective).resolved(settings).symmetries, 4) << objective;
    EXPECT_FALSE(of_kind(objective).missing_for("symmetries", settings)) << objective;
  }
  const auto of_task = [](const std::string& task) {
    const std::vector<Example> nothing;
    return scripted_model(task, 64, nothing);
  };
  EXPECT_NO_THROW(of_task("countdown-3").resolved(settings));
  EXPECT_THROW(of_task("search-3").resolved(settings), UsageError);
  EXPECT_FALSE(of_kind("ar").missing_for("seed", settings));
  settings.symmetries = 1;
  EXPECT_TRUE(of_kind("ar").missing_for("seed", settings));
  EXPECT_NO_THROW(of_task("search-3").resolved(settings));
  settings.symmetries = 2;
  settings.noise = 0.5;
  EXPECT_NO_THROW(of_kind("mgdm").resolved(settings));
  settings.tries = 2;
  EXPECT_THROW(of_kind("mgdm").resolved(settings), UsageError);
}

// Solves Sudokus by search, but believes that every answer begins with `wrong`.
LoadedModel stubborn_model(char wrong) {
  const data::Vocabulary vocabulary;
  const spec::ModelCard card{.task = "sudoku", .layout = "in_place", .length = 81};
  const auto size = static_cast<std::size_t>(vocabulary.size());
  auto network = std::make_unique<decoding::FunctionNetwork>(
      size, [vocabulary, size, wrong,
             task = std::shared_ptr<const tasks::Task>(tasks::make_task("sudoku"))](
                std::span<const data::Token> tokens, std::span<const std::uint8_t> frozen,
                std::span<float> logits) {
        std::string puzzle;
        for (std::size_t n = 0; n < tokens.size(); ++n)
          puzzle += frozen[n] ? vocabulary.decode(tokens.subspan(n, 1)) : "0";
        std::string answer = task->solve(puzzle).value();
        if (!frozen[0]) answer[0] = wrong;
        std::fill(logits.begin(), logits.end(), 0.f);
        const std::vector<data::Token> said = vocabulary.encode(answer);
        for (std::size_t n = 0; n < said.size(); ++n) logits[n * size + said[n]] = 5;
      });
  return {{.network = std::move(network), .device = "a stubborn one"},
          spec::ModelSettings(),
          card,
          vocabulary};
}

Example sudoku_without_first_cell() {
  const auto task = tasks::make_task("sudoku");
  std::uint32_t item = 0;
  Example example = task->generate(1, tasks::Split::kTest, item);
  while (example.input[0] != '0') example = task->generate(1, tasks::Split::kTest, ++item);
  return example;
}

TEST(LoadedModel, SymmetriesOutvoteAFixedIdea) {
  const Example example = sudoku_without_first_cell();
  const LoadedModel model = stubborn_model(example.output[0] == '1' ? '2' : '1');
  decoding::DecodingSettings settings = steps(3);
  const Solved alone = solve(model, example.input, 0, settings);
  EXPECT_FALSE(alone.check.right());
  EXPECT_EQ(alone.best.passes, 3);
  settings.symmetries = 12;  // of which two begin with a given or with `wrong` in truth
  const Solved voted = solve(model, example.input, 0, settings);
  EXPECT_TRUE(voted.check.right()) << voted.text;
  EXPECT_EQ(voted.text, example.output);
  EXPECT_EQ(voted.best.passes, 36);
}

// Tries go on in other forms of the puzzle, of which one begins with a given or with `wrong` in
// truth.
TEST(LoadedModel, TriesShowThePuzzleInOtherForms) {
  const Example example = sudoku_without_first_cell();
  const LoadedModel model = stubborn_model(example.output[0] == '1' ? '2' : '1');
  decoding::DecodingSettings settings = steps(3);
  settings.tries = 40;
  const Solved solved = solve(model, example.input, 0, settings);
  EXPECT_TRUE(solved.check.right()) << solved.text;
  EXPECT_EQ(solved.text, example.output);
  EXPECT_GT(solved.best.passes, 3);
  EXPECT_FALSE(model.missing_for("seed", settings));
  EXPECT_FALSE(of_kind("ar").missing_for("tries", settings));
}

// Every puzzle has views of its own, which its number and the seed decide.
TEST(LoadedModel, ViewsAreDrawnBySeedAndItem) {
  const auto examples = planning_examples(1);
  const LoadedModel model = scripted_model("planning", 28, examples);
  decoding::DecodingSettings settings = steps(4);
  settings.symmetries = 4;
  const auto views = [&](std::uint32_t item) {
    std::vector<std::vector<data::Token>> tokens;
    for (const data::View& view :
         model.question(model.prepare(examples[0].input), item, model.resolved(settings)).views)
      tokens.push_back(view.tokens);
    return tokens;
  };
  const auto first = views(7);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(views(7), first);
  EXPECT_NE(views(8), first);
  settings.symmetries = 3;  // those that there are stay
  EXPECT_EQ(views(7), (std::vector(first.begin(), first.begin() + 2)));
  settings.seed = 2;
  EXPECT_NE(views(7), (std::vector(first.begin(), first.begin() + 2)));
}

// A puzzle of three numbers has six orders, fewer when numbers are equal: no more are decoded.
TEST(LoadedModel, DecodesEveryFormOnce) {
  const std::vector<Example> nothing;
  const LoadedModel model = scripted_model("countdown-3", 64, nothing);
  const auto forms = [&](const std::string& input, std::int64_t symmetries) {
    decoding::DecodingSettings settings = steps(4);
    settings.symmetries = symmetries;
    const Question question = model.question(model.prepare(input), 7, model.resolved(settings));
    std::set<std::vector<data::Token>> distinct{question.puzzle.tokens};
    for (const data::View& view : question.views) distinct.insert(view.tokens);
    EXPECT_EQ(distinct.size(), question.views.size() + 1) << input;
    return distinct.size();
  };
  EXPECT_EQ(forms("3,5,7,24", 256), 6u);
  EXPECT_EQ(forms("3,5,5,24", 256), 3u);
  EXPECT_EQ(forms("5,5,5,24", 256), 1u);
  EXPECT_EQ(forms("3,5,7,24", 4), 4u);
  EXPECT_EQ(forms("3,5,7,24", 1), 1u);
}

TEST(LoadedModel, SaysWhichSettingsCount) {
  const decoding::DecodingSettings settings;
  EXPECT_FALSE(of_kind("mgdm").missing_for("steps", settings));
  EXPECT_TRUE(of_kind("ar").missing_for("steps", settings));
  EXPECT_TRUE(of_kind("d3pm_uniform").missing_for("order", settings));
  EXPECT_TRUE(of_kind("mgdm").missing_for("loops", settings));
  EXPECT_FALSE(of_kind("mgdm", "looped").missing_for("loops", settings));
  EXPECT_TRUE(of_kind("mgdm").missing_for("entropy_bound", settings));
}

TEST(LoadedModel, RefusesPuzzlesWithoutRoom) {
  const LoadedModel model = scripted_model("planning", 28, planning_examples(1));
  const auto task = tasks::make_task("planning", {"nodes=6"});
  EXPECT_THROW(model.prepare(task->generate(0, tasks::Split::kTest, 0).input), Error);
}

TEST(Solve, VerifiesAndShowsEveryPass) {
  const auto examples = planning_examples(1);
  const LoadedModel model = scripted_model("planning", 28, examples);
  std::vector<std::string> texts;
  const Solved solved = solve(model, examples[0].input, 0, steps(3), [&](const StepText& step) {
    EXPECT_EQ(step.text.size(), step.confidence.size());
    texts.push_back(step.text);
    return true;
  });
  EXPECT_TRUE(solved.check.right());
  EXPECT_EQ(solved.text, examples[0].output);
  EXPECT_EQ(solved.best.passes, 3);
  EXPECT_TRUE(solved.check.faults.empty());
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_NE(texts.front().find(kHidden), std::string::npos);
  EXPECT_EQ(texts.back(), examples[0].output);
  EXPECT_EQ(solved_json(solved, model.task()),
            "{\"input\":\"" + examples[0].input + "\",\"solution\":\"" + examples[0].output +
                "\",\"verified\":true,\"explanation\":\"\",\"passes\":3}");
}

TEST(Solve, AnswersManyInTheirOrderAndTellsWhoseStepItIs) {
  const auto examples = planning_examples(5);
  const LoadedModel model = scripted_model("planning", 28, examples);
  std::vector<int> passes(5);
  const auto solved = solve_all(model, inputs_of(examples), 3, steps(3), 2,
                                [&](std::size_t puzzle, const StepText&) {
                                  ++passes.at(puzzle);
                                  return puzzle != 4;
                                });
  EXPECT_EQ(passes, (std::vector<int>{3, 3, 3, 3, 1}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(solved[i].text, examples[i].output);
  EXPECT_FALSE(solved[4].check.right());
  EXPECT_FALSE(solved[4].check.faults.empty());
  EXPECT_TRUE(solve_all(model, {}, 0, steps(3), 2).empty());
}

TEST(Solve, KeepsAnErrorWithItsPuzzle) {
  const auto examples = planning_examples(3);
  const LoadedModel model = scripted_model("planning", 28, examples);
  const std::vector<std::string> puzzles{examples[0].input, "nonsense", examples[1].input,
                                         examples[2].input};
  std::vector<std::size_t> told;
  const auto solved = solve_all(
      model, puzzles, 0, steps(3), 2,
      [](std::size_t puzzle, const StepText&) {
        if (puzzle == 3) throw Error("enough");
        return true;
      },
      [&](std::size_t puzzle, const std::exception_ptr&) { told.push_back(puzzle); });
  EXPECT_EQ(told, (std::vector<std::size_t>{1, 3}));
  EXPECT_FALSE(solved[0].error || solved[2].error);
  EXPECT_TRUE(solved[1].error && solved[3].error);
  EXPECT_EQ(solved[1].input, "nonsense");
  EXPECT_EQ(solved[2].text, examples[1].output);
  EXPECT_THROW(solve(model, "nonsense", 0, steps(3)), Error);
}

// An own task may judge by the label alone, and there is none.
TEST(Solve, SaysWhatNothingCanCheck) {
  const auto task = tasks::make_task("planning");
  Solved solved{.input = "ab", .text = "ba"};
  EXPECT_EQ(verdict_of(solved), "not checked");
  EXPECT_EQ(solved_json(solved, *task),
            R"({"input":"ab","solution":"ba","verified":null,"explanation":"","passes":0})");
  EXPECT_EQ(solved_csv(solved, *task), "ab,ba,not checked,,,0");
  solved.check.result = tasks::Check::Result::kRight;
  EXPECT_EQ(verdict_of(solved), "verified");
  EXPECT_EQ(solved_csv(solved, *task), "ab,ba,yes,,,0");
}

TEST(Effort, NamesVotesWhereTheyWereAskedFor) {
  Solved solved;
  solved.best.passes = 20;
  const auto with = [&](Votes votes) {
    solved.votes = votes;
    return effort(solved);
  };
  EXPECT_EQ(with({1, 1, 1}), "20 passes");
  EXPECT_EQ(with({6, 6, 5}), "20 passes, the answer of 5 of 6 forms");
  EXPECT_EQ(with({256, 6, 5}), "20 passes, the answer of 5 of 6 forms (256 asked)");
  solved.best.passes = 1;
  EXPECT_EQ(with({2, 1, 1}), "1 pass, the answer of 1 of 1 form (2 asked)");
}

}  // namespace
}  // namespace mgdm::inference
