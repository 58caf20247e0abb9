#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "api/test_support.h"
#include "base/files.h"
#include "mgdm/mgdm.h"
#include "support/test_child.h"

namespace mgdm {
namespace {

using api::inputs_of;
using api::Script;
using api::shipped;
using api::small_puzzles;

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "no failure";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Model, SaysWhatItIs) {
  const Script script({});
  const Model model(shipped("quick-planning-mgdm"));
  const ModelInfo& info = model.info();
  EXPECT_EQ(info.folder, shipped("quick-planning-mgdm"));
  EXPECT_EQ(info.task, "planning");
  EXPECT_EQ(info.objective, "mgdm");
  EXPECT_EQ(info.architecture, "looped");
  EXPECT_GT(info.parameters, 100'000);
  EXPECT_EQ(info.device, "a script");
  LoadOptions exact;
  exact.arithmetic = "int8";
  EXPECT_EQ(Model(shipped("quick-planning-mgdm"), exact).info().arithmetic, "int8");
  exact.arithmetic = "fp8";
  EXPECT_TRUE(contains(failure_of([&] { Model(shipped("sudoku"), exact); }), "fp8"));
  EXPECT_EQ(info.decoding.steps, 10);
  EXPECT_EQ(info.decoding.order, "topk");
  EXPECT_EQ(info.decoding.entropy_bound, std::nullopt);  // topk has none
  EXPECT_EQ(Model(shipped("sudoku")).info().decoding.loops, 64);
  EXPECT_EQ(Model(shipped("quick-planning-ar")).info().decoding.steps, std::nullopt);
}

TEST(Model, IsFoundByName) {
  const Script script({});
  LoadOptions options;
  options.models = std::string(MGDM_SOURCE_DIR) + "/models";
  EXPECT_EQ(Model("sudoku", options).info().task, "sudoku");
  const std::string failure = failure_of([&] { Model("sudko", options); });
  EXPECT_TRUE(contains(failure, "quick-planning-ar")) << failure;
  EXPECT_TRUE(contains(failure, "did you mean")) << failure;
  options.threads = -3;
  EXPECT_TRUE(contains(failure_of([&] { Model("sudoku", options); }), "threads = -3"));
}

TEST(Model, SolvesOneAndMany) {
  std::vector<Puzzle> puzzles = small_puzzles(5);
  puzzles[3].solution = puzzles[2].solution;  // what the script says is wrong
  const Script script(puzzles);
  LoadOptions options;
  options.batch = 2;
  Model model(shipped("quick-planning-mgdm"), options);
  const std::vector<Answer> answers = model.solve_all(inputs_of(puzzles));
  ASSERT_EQ(answers.size(), 5u);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].puzzle, puzzles[i].input);
    EXPECT_EQ(answers[i].text, puzzles[i].solution);
    EXPECT_EQ(answers[i].correct, i != 3);
    EXPECT_EQ(answers[i].faults.empty(), i != 3);
    EXPECT_EQ(answers[i].passes, 10);
  }
  DecodingOptions quick;
  quick.steps = 2;
  EXPECT_EQ(model.solve(puzzles[1].input, quick).text, puzzles[1].solution);
  EXPECT_EQ(model.solve(puzzles[1].input, quick).passes, 2);
  EXPECT_TRUE(model.solve_all({}).empty());
  EXPECT_EQ(model.solve(puzzles[0].input, model.info().decoding).passes, 10);
}

TEST(Model, CanBeMoved) {
  const auto puzzles = small_puzzles(1);
  const Script script(puzzles);
  Model first(shipped("quick-planning-mgdm"));
  Model second = std::move(first);
  EXPECT_TRUE(second.solve(puzzles[0].input).correct);
  first = std::move(second);
  EXPECT_TRUE(first.solve(puzzles[0].input).correct);
}

TEST(Model, SaysThatItWasMovedFrom) {
  const Script script({});
  Model empty(shipped("quick-planning-mgdm"));
  const Model full = std::move(empty);
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_TRUE(contains(failure_of([&] { empty.info(); }), "moved from"));
  EXPECT_TRUE(contains(failure_of([&] { empty.solve("1,2-1,2"); }), "moved from"));
  EXPECT_TRUE(contains(failure_of([&] { empty.solve_all({}); }), "moved from"));
  // NOLINTEND(bugprone-use-after-move)
}

TEST(Model, MayGoWhileItAnswers) {
  const auto puzzles = small_puzzles(2);
  const Script script(puzzles);
  auto model = std::make_unique<Model>(shipped("quick-planning-mgdm"));
  const auto answers = model->solve_all(inputs_of(puzzles), {}, [&](const Step&) {
    model.reset();
    return true;
  });
  EXPECT_TRUE(answers[0].correct && answers[1].correct);
}

TEST(Model, ShowsEveryPass) {
  const auto puzzles = small_puzzles(2);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  std::vector<std::vector<std::string>> seen(2);
  DecodingOptions options;
  options.steps = 4;
  model.solve_all(inputs_of(puzzles), options, [&](const Step& step) {
    EXPECT_EQ(step.attempt, 0);
    EXPECT_EQ(step.pass, static_cast<std::int64_t>(seen.at(step.puzzle).size()));
    EXPECT_EQ(step.confidence.size(), step.text.size());
    for (const float sure : step.confidence) EXPECT_TRUE(sure > 0 && sure <= 1) << sure;
    seen[step.puzzle].push_back(step.text);
    return true;
  });
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(seen[i].size(), 4u);
    EXPECT_TRUE(contains(seen[i].front(), "_")) << seen[i].front();
    EXPECT_EQ(seen[i].back(), puzzles[i].solution);
  }
}

TEST(Model, StopsThePuzzleThatIsToldTo) {
  const auto puzzles = small_puzzles(2);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  const auto answers = model.solve_all(
      inputs_of(puzzles), {}, [](const Step& step) { return step.puzzle == 0 || step.pass < 1; });
  EXPECT_TRUE(answers[0].correct);
  EXPECT_EQ(answers[1].passes, 2);
  EXPECT_FALSE(answers[1].correct);
}

struct Fatigue {};  // no std::exception

TEST(Model, PassesOnWhatACallbackThrowsAndGoesOn) {
  const auto puzzles = small_puzzles(3);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  int calls = 0;
  const auto tired = [&](const Step&) -> bool {
    ++calls;
    throw Fatigue();
  };
  EXPECT_THROW(model.solve_all(inputs_of(puzzles), {}, tired), Fatigue);
  EXPECT_EQ(calls, 1);  // not again for the puzzles beside it
  try {
    model.solve(puzzles[0].input, {}, [](const Step&) -> bool { throw std::range_error("mine"); });
    FAIL();
  } catch (const std::range_error& error) {
    EXPECT_STREQ(error.what(), "mine");
  }
  EXPECT_TRUE(model.solve(puzzles[0].input).correct);
}

TEST(Model, LooksUpBetweenPasses) {
  const auto puzzles = small_puzzles(3);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  int passes = 0;
  EXPECT_EQ(model.solve_all(inputs_of(puzzles), {}, {}, [&] { ++passes; }).size(), 3u);
  EXPECT_EQ(passes, 10);
  EXPECT_THROW(model.solve_all(inputs_of(puzzles), {}, {}, [] { throw Fatigue(); }), Fatigue);
  EXPECT_TRUE(model.solve(puzzles[0].input).correct);
}

TEST(Model, RefusesACallInsideACall) {
  const auto puzzles = small_puzzles(1);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  std::string inside;
  EXPECT_TRUE(model
                  .solve(puzzles[0].input, {},
                         [&](const Step&) {
                           inside = failure_of([&] { model.solve(puzzles[0].input); });
                           return true;
                         })
                  .correct);
  EXPECT_TRUE(contains(inside, "another call")) << inside;
}

TEST(Model, WorksBesideOthers) {
  const auto puzzles = small_puzzles(4);
  const Script script(puzzles);
  std::vector<std::thread> threads;
  std::vector<int> right(3);
  for (int& count : right)
    threads.emplace_back([&] {
      Model model(shipped("quick-planning-mgdm"));
      for (const Answer& answer : model.solve_all(inputs_of(puzzles))) count += answer.correct;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::vector<int>{4, 4, 4}));
}

#ifdef MGDM_HAVE_RUNTIME

// The network itself, no script: each thread has a model with threads of its own.
TEST(Model, AnswersAloneAsBesideOthers) {
  const auto puzzles = small_puzzles(4);
  DecodingOptions noisy;
  noisy.noise = 0.5;
  noisy.steps = 4;
  const auto texts = [&](std::size_t batch, int threads) {
    LoadOptions options;
    options.batch = batch;
    options.threads = threads;
    Model model(shipped("quick-planning-mgdm"), options);
    std::vector<std::string> all;
    for (const Answer& answer : model.solve_all(inputs_of(puzzles), noisy))
      all.push_back(answer.text);
    return all;
  };
  std::vector<std::string> one_by_one, three_at_a_time;
  std::thread first([&] { one_by_one = texts(1, 2); });
  std::thread second([&] { three_at_a_time = texts(3, 1); });
  first.join();
  second.join();
  EXPECT_EQ(one_by_one, three_at_a_time);
  std::size_t right = 0;
  for (std::size_t i = 0; i < puzzles.size(); ++i)
    right += verify("planning", puzzles[i], one_by_one[i]).correct;
  EXPECT_GE(right, 3u);
}

TEST(Model, IsClonedForAnotherThread) {
  const auto puzzles = small_puzzles(4);
  const auto texts = [&](auto& model) {
    std::vector<std::string> all;
    for (const Answer& answer : model.solve_all(inputs_of(puzzles))) all.push_back(answer.text);
    return all;
  };
  auto model = std::make_unique<Model>(shipped("quick-planning-mgdm"));
  Model clone = model->clone();
  EXPECT_EQ(clone.info().task, "planning");
  std::vector<std::string> beside;
  std::thread other([&] { beside = texts(clone); });
  const std::vector<std::string> here = texts(*model);
  other.join();
  EXPECT_EQ(beside, here);
  model.reset();
  EXPECT_EQ(texts(clone), here);
  EXPECT_TRUE(contains(failure_of([&] { clone.clone(-1); }), "threads = -1"));
}

// tests/golden/make_looped.py says what computed them.
TEST(Model, GivesTheLogitsOfTheModellingFile) {
  for (const std::string name : {"given", "causal"}) {
    const std::string folder = std::string(MGDM_SOURCE_DIR) + "/tests/golden/looped/" + name;
    Model model(folder);
    const auto golden = nlohmann::json::parse(read_file(folder + "/golden.json"));
    std::vector<TokenRow> rows;
    for (std::size_t i = 0; i < golden["tokens"].size(); ++i)
      rows.push_back({golden["tokens"][i], golden["given"][i]});
    for (const auto& [loops, expected] : golden["logits"].items()) {
      const std::vector<float> logits = model.logits(rows, std::stoi(loops));
      ASSERT_EQ(logits.size(), expected.size());
      for (std::size_t i = 0; i < logits.size(); ++i)
        ASSERT_NEAR(logits[i], expected[i].get<float>(), 1e-4) << name << ' ' << loops << ' ' << i;
    }
  }
}

TEST(ModelPool, ServesMoreThreadsThanItHasClones) {
  const auto puzzles = small_puzzles(6);
  ModelPool pool(Model(shipped("quick-planning-mgdm")), 2);
  std::vector<std::string> texts(puzzles.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < puzzles.size(); ++i)
    threads.emplace_back([&, i] { texts[i] = pool.solve(puzzles[i].input).text; });
  for (std::thread& thread : threads) thread.join();
  std::size_t right = 0;
  for (std::size_t i = 0; i < puzzles.size(); ++i)
    right += verify("planning", puzzles[i], texts[i]).correct;
  EXPECT_GE(right, 5u);
  EXPECT_FALSE(failure_of([&] { pool.solve("nonsense"); }).empty());
  EXPECT_EQ(pool.solve_all(inputs_of(puzzles)).size(), 6u);  // the clone came back
}

// As Python's multiprocessing does: the threads of the model are not in the child.
TEST(Model, AnswersInAForkedChild) {
  const auto puzzles = small_puzzles(4);
  LoadOptions options;
  options.threads = 2;
  auto model = std::make_unique<Model>(shipped("quick-planning-mgdm"), options);
  const auto texts = [&] {
    std::vector<std::string> all;
    for (const Answer& answer : model->solve_all(inputs_of(puzzles))) all.push_back(answer.text);
    return all;
  };
  const std::vector<std::string> here = texts();
  EXPECT_TRUE(in_a_child([&] {
    const bool same = texts() == here;
    model.reset();
    return same;
  }));
  EXPECT_EQ(texts(), here);
}

#endif

TEST(Model, RefusesWrongOptionsAndPuzzles) {
  const auto puzzles = small_puzzles(1);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm")), left_to_right(shipped("quick-planning-ar"));
  const auto with = [&](Model& asked, auto change) {
    DecodingOptions options;
    change(options);
    return failure_of([&] { asked.solve(puzzles[0].input, options); });
  };
  EXPECT_TRUE(contains(with(model, [](auto& o) { o.steps = 0; }), "steps = 0"));
  EXPECT_TRUE(contains(with(model, [](auto& o) { o.order = "topp"; }), "topk"));
  EXPECT_TRUE(contains(with(model, [](auto& o) { o.noise = std::nan(""); }), "noise = nan"));
  EXPECT_TRUE(
      contains(with(model, [](auto& o) { o.entropy_bound = 2; }), "entropy_bound changes nothing"));
  EXPECT_TRUE(contains(with(left_to_right, [](auto& o) { o.steps = 2; }), "steps changes nothing"));
  EXPECT_TRUE(contains(with(model, [](auto& o) { o.symmetries = o.tries = 2; }), "one of the two"));
  EXPECT_TRUE(contains(failure_of([&] { model.solve("nonsense"); }), "expected"));
  EXPECT_TRUE(model.solve(puzzles[0].input).correct);
}

TEST(Model, KeepsAnErrorWithItsPuzzle) {
  const auto puzzles = small_puzzles(2);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  const auto answers = model.solve_all({puzzles[0].input, "nonsense", puzzles[1].input});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(answers[0].correct && answers[2].correct && !answers[0].error);
  ASSERT_TRUE(answers[1].error);
  EXPECT_EQ(answers[1].puzzle, "nonsense");
  EXPECT_FALSE(answers[1].correct);
  EXPECT_EQ(answers[1].error->what(), failure_of([&] { model.solve("nonsense"); }));
  EXPECT_FALSE(answers[1].error->expected().empty());
}

TEST(Model, ChecksPuzzlesWithoutSolvingThem) {
  const Script script({});
  const Model model(shipped("sudoku"));
  const std::string empty(80, '.');
  EXPECT_TRUE(contains(model.check("1" + empty).unfamiliar, "givens"));
  EXPECT_TRUE(contains(model.check("11" + empty.substr(1)).contradiction, "1"));
  EXPECT_EQ(model.check("1" + empty).puzzle, "1" + std::string(80, '0'));
  EXPECT_TRUE(contains(failure_of([&] { model.check("12"); }), "expected"));
}

TEST(Model, WritesAndReadsRowsOfTokens) {
  const auto puzzles = small_puzzles(1);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  TokenRow row = model.encode(puzzles[0].input);
  ASSERT_EQ(row.tokens.size(), row.given.size());
  EXPECT_TRUE(contains(model.decode(row), "[MASK]"));
  const std::vector<std::string>& vocabulary = model.info().vocabulary;
  const std::vector<float> logits = model.logits({row, row});
  ASSERT_EQ(logits.size(), 2 * row.tokens.size() * vocabulary.size());
  for (std::size_t n = 0; n < row.tokens.size(); ++n) {
    if (row.given[n] != 0) continue;
    const float* const about = logits.data() + n * vocabulary.size();
    row.tokens[n] =
        static_cast<std::int32_t>(std::max_element(about, about + vocabulary.size()) - about);
  }
  EXPECT_TRUE(model.decode(row).starts_with(puzzles[0].solution)) << model.decode(row);
  EXPECT_TRUE(model.logits({}).empty());
  row.tokens[0] = 1000;
  EXPECT_TRUE(contains(failure_of([&] { model.logits({row}); }), "token 1000"));
  row.tokens.pop_back();
  EXPECT_TRUE(contains(failure_of([&] { model.logits({row}); }), "as many marks"));
}

TEST(Model, TakesAVerifierForTextOnly) {
  const Script script({});
  Model model(shipped("sudoku"));
  const auto easy = [](const std::string&, const std::string&) { return Verdict{1, ""}; };
  EXPECT_TRUE(contains(failure_of([&] { model.use_verifier(easy); }), "the task text"));
}

TEST(Model, TriesAgain) {
  std::vector<Puzzle> puzzles = small_puzzles(2);
  std::swap(puzzles[0].solution, puzzles[1].solution);
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  DecodingOptions options;
  options.tries = 3;
  options.noise = 0.5;
  options.steps = 2;
  std::int64_t attempts = 0;
  const Answer answer = model.solve(puzzles[0].input, options, [&](const Step& step) {
    attempts = step.attempt + 1;
    return true;
  });
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(answer.passes, 6);
  EXPECT_FALSE(answer.correct);
}

TEST(Model, LetsSymmetriesVote) {
  Model model(shipped("quick-planning-mgdm"));
  EXPECT_EQ(model.info().decoding.symmetries, 1);
  DecodingOptions options;
  options.steps = 2;
  options.symmetries = 3;
  const Answer answer = model.solve(small_puzzles(1)[0].input, options);
  EXPECT_EQ(answer.passes, 6);
}

TEST(Model, SearchesExactlyBesideItsAnswer) {
  std::vector<Puzzle> puzzles = small_puzzles(1);
  const std::string right = puzzles[0].solution;
  puzzles[0].solution = "0,0";
  const Script script(puzzles);
  Model model(shipped("quick-planning-mgdm"));
  EXPECT_EQ(model.solve(puzzles[0].input).right, std::nullopt);
  DecodingOptions options;
  options.exact = true;
  const Answer answer = model.solve(puzzles[0].input, options);
  EXPECT_FALSE(answer.correct);
  EXPECT_EQ(answer.right, right);
}

}  // namespace
}  // namespace mgdm
