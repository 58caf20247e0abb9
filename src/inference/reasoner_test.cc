#include "inference/reasoner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
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

spec::DecodingSettings steps(std::int64_t count) {
  spec::DecodingSettings settings;
  settings.steps = count;
  settings.noise = 0;
  return settings;
}

// A model that would answer at random: only what it is matters here.
Reasoner of_kind(const std::string& objective, const std::string& architecture = "gpt2") {
  spec::ModelSettings model;
  model.architecture = architecture;
  const data::Vocabulary vocabulary;
  auto network = std::make_unique<decoding::FunctionNetwork>(
      decoding::random_network(1, static_cast<std::size_t>(vocabulary.size())));
  return {slot_engine(std::move(network), "nothing"),
          model,
          {.task = "planning", .length = 28, .objective = objective},
          vocabulary};
}

TEST(Reasoner, AnswersInTheOrderOfThePuzzlesWhateverTheBatch) {
  const auto examples = planning_examples(7);
  const Reasoner reasoner = scripted_reasoner("planning", 28, examples);
  const auto inputs = inputs_of(examples);
  std::vector<std::uint32_t> items(inputs.size());
  std::iota(items.begin(), items.end(), 0u);
  const std::vector<Answer> all = reasoner.answer(inputs, items, steps(4));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(all[i].text.starts_with(examples[i].output + "[EOS]")) << all[i].text;
    EXPECT_EQ(all[i].forward_passes, 4);
  }
  std::size_t answered = 0;
  reasoner.answer(inputs, items, steps(4), 2, [&](Reasoner::Answers some) {
    EXPECT_LE(some.size(), 2u);
    for (const auto& [index, answer] : some) EXPECT_EQ(answer.text, all[index].text);
    answered += some.size();
  });
  EXPECT_EQ(answered, 7u);
  EXPECT_TRUE(reasoner.answer({}, {}, steps(4)).empty());
}

TEST(Reasoner, ObserversSeeTheInputsNumberAndMayEndIt) {
  const auto examples = planning_examples(3);
  const Reasoner reasoner = scripted_reasoner("planning", 28, examples);
  const std::vector<std::uint32_t> items{5, 6, 7};
  std::vector<int> seen(3);
  const auto answers =
      reasoner.answer(inputs_of(examples), items, steps(4), [&](const decoding::Step& step) {
        ++seen[step.slot];
        return step.slot != 1;
      });
  EXPECT_EQ(seen, (std::vector<int>{4, 1, 4}));
  EXPECT_EQ(answers[1].forward_passes, 1);
  EXPECT_NE(answers[1].text.find("[MASK]"), std::string::npos);
  // One that throws ends the call, and the engine is free for the next.
  EXPECT_THROW(reasoner.answer(inputs_of(examples), items, steps(4),
                               [](const decoding::Step&) -> bool { throw Error("no"); }),
               Error);
  EXPECT_EQ(reasoner.engine().active(), 0u);
  EXPECT_EQ(reasoner.answer(inputs_of(examples), items, steps(4)).size(), 3u);
}

TEST(Reasoner, ResolvesWhatTheKindDecides) {
  EXPECT_EQ(of_kind("teacherless").resolved(steps(9)).steps, 1);
  EXPECT_EQ(of_kind("mgdm").resolved(steps(9)).steps, 9);
  EXPECT_EQ(of_kind("mgdm").resolved(steps(9)).revise, "on");  // shifted logits
  spec::DecodingSettings tries = steps(9);
  tries.tries = 3;
  const std::vector<Example> nothing;
  const Reasoner without_forms = scripted_reasoner("search-3", 64, nothing);
  EXPECT_THROW(without_forms.resolved(tries), UsageError);  // no noise: all the same
  EXPECT_NO_THROW(of_kind("ar").resolved(tries));           // of other forms of the puzzle
  tries.noise = 0.5;
  EXPECT_NO_THROW(without_forms.resolved(tries));
  spec::DecodingSettings loops = steps(9);
  loops.loops = 8;
  EXPECT_THROW(of_kind("mgdm").resolved(loops), UsageError);
  EXPECT_NO_THROW(of_kind("mgdm", "looped").resolved(loops));
  EXPECT_THROW(of_kind("ar", "looped").resolved(loops), UsageError);
}

TEST(Reasoner, RefusesSymmetriesWhereThereAreNone) {
  spec::DecodingSettings settings = steps(4);
  settings.symmetries = 4;
  for (const char* objective : {"mgdm", "teacherless", "d3pm_uniform", "ar", "vdm"}) {
    EXPECT_EQ(of_kind(objective).resolved(settings).symmetries, 4) << objective;
    EXPECT_FALSE(of_kind(objective).missing_for("symmetries", settings)) << objective;
  }
  const auto of_task = [](const std::string& task) {
    const std::vector<Example> nothing;
    return scripted_reasoner(task, 64, nothing);
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
Reasoner stubborn_reasoner(char wrong) {
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
  return {slot_engine(std::move(network), "a stubborn one"), spec::ModelSettings(), card,
          vocabulary};
}

Example sudoku_without_first_cell() {
  const auto task = tasks::make_task("sudoku");
  std::uint32_t item = 0;
  Example example = task->generate(1, tasks::Split::kTest, item);
  while (example.input[0] != '0') example = task->generate(1, tasks::Split::kTest, ++item);
  return example;
}

TEST(Reasoner, SymmetriesOutvoteAFixedIdea) {
  const Example example = sudoku_without_first_cell();
  const Reasoner reasoner = stubborn_reasoner(example.output[0] == '1' ? '2' : '1');
  spec::DecodingSettings settings = steps(3);
  const Solved alone = solve(reasoner, example.input, 0, settings);
  EXPECT_FALSE(alone.verified);
  EXPECT_EQ(alone.passes, 3);
  settings.symmetries = 12;  // of which two begin with a given or with `wrong` in truth
  const Solved voted = solve(reasoner, example.input, 0, settings);
  EXPECT_TRUE(voted.verified) << voted.text;
  EXPECT_EQ(voted.text, example.output);
  EXPECT_EQ(voted.passes, 36);
}

// Tries go on in other forms of the puzzle, of which one begins with a given or with `wrong` in
// truth.
TEST(Reasoner, TriesShowThePuzzleInOtherForms) {
  const Example example = sudoku_without_first_cell();
  const Reasoner reasoner = stubborn_reasoner(example.output[0] == '1' ? '2' : '1');
  spec::DecodingSettings settings = steps(3);
  settings.tries = 40;
  const Solved solved = solve(reasoner, example.input, 0, settings);
  EXPECT_TRUE(solved.verified) << solved.text;
  EXPECT_EQ(solved.text, example.output);
  EXPECT_GT(solved.passes, 3);
  EXPECT_FALSE(reasoner.missing_for("seed", settings));
  EXPECT_FALSE(of_kind("ar").missing_for("tries", settings));
}

// Every puzzle has views of its own, which its number and the seed decide.
TEST(Reasoner, ViewsAreDrawnBySeedAndItem) {
  const auto examples = planning_examples(1);
  const Reasoner reasoner = scripted_reasoner("planning", 28, examples);
  spec::DecodingSettings settings = steps(4);
  settings.symmetries = 4;
  const auto views = [&](std::uint32_t item) {
    std::vector<std::vector<data::Token>> tokens;
    for (const data::View& view :
         reasoner.request(examples[0].input, item, reasoner.resolved(settings)).views)
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
TEST(Reasoner, DecodesEveryFormOnce) {
  const std::vector<Example> nothing;
  const Reasoner reasoner = scripted_reasoner("countdown-3", 64, nothing);
  const auto forms = [&](const std::string& input, std::int64_t symmetries) {
    spec::DecodingSettings settings = steps(4);
    settings.symmetries = symmetries;
    const auto request = reasoner.request(input, 7, reasoner.resolved(settings));
    std::set<std::vector<data::Token>> distinct{request.puzzle.tokens};
    for (const data::View& view : request.views) distinct.insert(view.tokens);
    EXPECT_EQ(distinct.size(), request.views.size() + 1) << input;
    return distinct.size();
  };
  EXPECT_EQ(forms("3,5,7,24", 256), 6u);
  EXPECT_EQ(forms("3,5,5,24", 256), 3u);
  EXPECT_EQ(forms("5,5,5,24", 256), 1u);
  EXPECT_EQ(forms("3,5,7,24", 4), 4u);
  EXPECT_EQ(forms("3,5,7,24", 1), 1u);
}

TEST(Reasoner, SaysWhichSettingsCount) {
  const spec::DecodingSettings settings;
  EXPECT_FALSE(of_kind("mgdm").missing_for("steps", settings));
  EXPECT_TRUE(of_kind("ar").missing_for("steps", settings));
  EXPECT_TRUE(of_kind("d3pm_uniform").missing_for("order", settings));
  EXPECT_TRUE(of_kind("mgdm").missing_for("loops", settings));
  EXPECT_FALSE(of_kind("mgdm", "looped").missing_for("loops", settings));
  EXPECT_TRUE(of_kind("mgdm").missing_for("entropy_bound", settings));
}

TEST(Reasoner, RefusesPuzzlesWithoutRoom) {
  const Reasoner reasoner = scripted_reasoner("planning", 28, planning_examples(1));
  const std::vector<std::string> inputs{std::string(40, '1')};
  const std::vector<std::uint32_t> items{0};
  EXPECT_THROW(reasoner.answer(inputs, items, steps(2)), Error);
}

TEST(Solve, VerifiesAndShowsEveryPass) {
  const auto examples = planning_examples(1);
  const Reasoner reasoner = scripted_reasoner("planning", 28, examples);
  std::vector<std::string> texts;
  const Solved solved = solve(reasoner, examples[0].input, 0, steps(3), [&](const StepText& step) {
    EXPECT_EQ(step.text.size(), step.confidence.size());
    texts.push_back(step.text);
    return true;
  });
  EXPECT_TRUE(solved.verified);
  EXPECT_EQ(solved.text, examples[0].output);
  EXPECT_EQ(solved.passes, 3);
  EXPECT_TRUE(solved.faults.empty());
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_NE(texts.front().find(kHidden), std::string::npos);
  EXPECT_EQ(texts.back(), examples[0].output);
  EXPECT_EQ(solved_json(solved, reasoner.task()),
            "{\"input\":\"" + examples[0].input + "\",\"solution\":\"" + examples[0].output +
                "\",\"verified\":true,\"explanation\":\"\",\"passes\":3}");
}

TEST(Solve, AnswersManyInTheirOrderAndTellsWhoseStepItIs) {
  const auto examples = planning_examples(5);
  const Reasoner reasoner = scripted_reasoner("planning", 28, examples);
  std::vector<int> passes(5);
  const auto solved = solve_all(reasoner, inputs_of(examples), 3, steps(3), 2,
                                [&](std::size_t puzzle, const StepText&) {
                                  ++passes.at(puzzle);
                                  return puzzle != 4;
                                });
  EXPECT_EQ(passes, (std::vector<int>{3, 3, 3, 3, 1}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(solved[i].text, examples[i].output);
  EXPECT_FALSE(solved[4].verified);
  EXPECT_FALSE(solved[4].faults.empty());
  EXPECT_TRUE(solve_all(reasoner, {}, 0, steps(3), 2).empty());
}

TEST(Solve, NamesThePuzzleThatIsNone) {
  const auto examples = planning_examples(1);
  const Reasoner reasoner = scripted_reasoner("planning", 28, examples);
  const std::vector<std::string> puzzles{examples[0].input, "nonsense"};
  try {
    solve_all(reasoner, puzzles, 0, steps(3), 2,
              [](std::size_t, const StepText&) -> bool { throw Error("it began"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.seen().starts_with("puzzle 2: ")) << error.what();
  }
}

TEST(Steps, AreEventsOfAStream) {
  EXPECT_EQ(step_json({.attempt = 1, .pass = 2, .text = "4_", .confidence = {0.98765f, 0.f}}),
            R"({"attempt":1,"pass":2,"text":"4_","confidence":[0.988,0.0]})");
}

}  // namespace
}  // namespace mgdm::inference
