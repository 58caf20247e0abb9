// The C interface, with a script for a network. tests/consumer calls it from C.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "api/test_support.h"
#include "mgdm/mgdm_c.h"

namespace mgdm::api {
namespace {

TEST(C, GeneratesVerifiesAndSolves) {
  mgdm_puzzles* puzzles = mgdm_generate("planning", 2, "seed=7 nodes=4  split=test first=3");
  ASSERT_NE(puzzles, nullptr) << mgdm_error();
  GenerateOptions same;
  same.seed = 7;
  same.task_options = "nodes=4";
  same.split = "test";
  same.first = 3;
  const Puzzle expected = generate("planning", 2, same).at(1);
  EXPECT_EQ(mgdm_puzzles_count(puzzles), 2u);
  EXPECT_EQ(mgdm_puzzles_input(puzzles, 1), expected.input);
  EXPECT_EQ(mgdm_puzzles_solution(puzzles, 1), expected.solution);
  EXPECT_EQ(mgdm_puzzles_input(puzzles, 2), nullptr);
  mgdm_puzzles_free(puzzles);

  char* text = nullptr;
  int paper = -1;
  EXPECT_EQ(mgdm_verify("countdown-4", "86,28,13,31,96", nullptr, "86+28=114", &paper, &text), 0);
  EXPECT_EQ(paper, 0);
  EXPECT_EQ(std::string(text).substr(0, 37), "the last result is 114, the target 96");
  mgdm_text_free(text);
  ASSERT_EQ(mgdm_solve_exactly("countdown-4", "86,28,13,31,96", &text), 1);
  EXPECT_EQ(mgdm_verify("countdown-4", "86,28,13,31,96", text, text, nullptr, nullptr), 1);
  mgdm_text_free(text);
  EXPECT_EQ(mgdm_solve_exactly("sat-5", "1,2,3/1,2,8/1,7,3/1,7,8/6,2,3/6,2,8/6,7,3/6,7,8", &text),
            0);
  EXPECT_STREQ(mgdm_task_name(0), "planning");
  EXPECT_EQ(mgdm_task_name(1000), nullptr);
}

TEST(C, KeepsTheErrorOfEachThread) {
  EXPECT_EQ(mgdm_generate("sudko", 1, nullptr), nullptr);
  const std::string all = mgdm_error();
  EXPECT_STREQ(mgdm_error_seen(), "unknown task 'sudko'");
  EXPECT_NE(all.find(mgdm_error_expected()), std::string::npos);
  EXPECT_NE(all.find(mgdm_error_hint()), std::string::npos);
  std::thread([] {
    EXPECT_STREQ(mgdm_error(), "");
    EXPECT_EQ(mgdm_verify(nullptr, "", "", "", nullptr, nullptr), -1);
    EXPECT_STREQ(mgdm_error_seen(), "task is NULL");
  }).join();
  EXPECT_EQ(mgdm_error(), all);
  EXPECT_EQ(mgdm_generate("planning", 1, "sed=7"), nullptr);
  EXPECT_STREQ(mgdm_error_hint(), "did you mean 'seed'?");
  char garbage = 'x', *text = &garbage;
  EXPECT_EQ(mgdm_solve_exactly("sudko", "", &text), -1);
  EXPECT_EQ(text, nullptr);
  text = &garbage;
  EXPECT_EQ(mgdm_verify("sudko", "", "", "", nullptr, &text), -1);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(mgdm_puzzles_count(nullptr), 0u);
  EXPECT_STREQ(mgdm_error_seen(), "puzzles is NULL");
  EXPECT_EQ(mgdm_answers_count(nullptr), 0u);
  EXPECT_STREQ(mgdm_error_seen(), "answers is NULL");
  EXPECT_EQ(mgdm_model_load("/nowhere", ""), nullptr);
  EXPECT_NE(std::string(mgdm_error()).find("/nowhere"), std::string::npos);
}

TEST(C, LooksAtPuzzles) {
  char* text = mgdm_normalize("countdown-4", "4 5 6 10 -> 24");
  EXPECT_STREQ(text, "4,5,6,10,24");
  mgdm_text_free(text);
  EXPECT_EQ(mgdm_normalize("sudoku", "12"), nullptr);
  char *contradiction = nullptr, *unfamiliar = nullptr;
  const std::string clash = "11" + std::string(79, '.');
  ASSERT_EQ(mgdm_check("sudoku", clash.c_str(), &contradiction, &unfamiliar), 0);
  EXPECT_STRNE(contradiction, "");
  EXPECT_STRNE(unfamiliar, "");
  mgdm_text_free(contradiction);
  mgdm_text_free(unfamiliar);
  EXPECT_EQ(mgdm_check("sudoku", "12", &contradiction, nullptr), -1);
  EXPECT_EQ(contradiction, nullptr);
}

#ifdef MGDM_HAVE_RUNTIME
TEST(C, ClonesAModel) {
  mgdm_model* model = mgdm_model_load(shipped("quick-planning-mgdm").c_str(), "threads=2");
  mgdm_model* clone = mgdm_model_clone(model, 1);
  mgdm_model_free(model);
  EXPECT_STREQ(mgdm_model_task(clone), "planning");
  EXPECT_EQ(mgdm_model_clone(nullptr, 1), nullptr);
  mgdm_model_free(clone);
}
#endif

TEST(C, TakesNullForNothing) {
  EXPECT_EQ(mgdm_puzzles_count(nullptr), 0u);
  EXPECT_EQ(mgdm_puzzles_input(nullptr, 0), nullptr);
  EXPECT_EQ(mgdm_answers_count(nullptr), 0u);
  EXPECT_EQ(mgdm_answers_correct(nullptr, 0), -1);
  EXPECT_EQ(mgdm_model_parameters(nullptr), -1);
  EXPECT_EQ(mgdm_solve(nullptr, nullptr, 0, nullptr, nullptr, nullptr), nullptr);
  EXPECT_EQ(mgdm_solve_exactly("planning", nullptr, nullptr), -1);
  mgdm_puzzles_free(nullptr);
  mgdm_answers_free(nullptr);
  mgdm_model_free(nullptr);
  mgdm_text_free(nullptr);
}

struct Seen {
  std::size_t steps = 0;
  std::string last[2];
};

int note(const mgdm_step* step, void* user) {
  auto& seen = *static_cast<Seen*>(user);
  ++seen.steps;
  seen.last[step->puzzle] = step->text;
  EXPECT_EQ(seen.last[step->puzzle].size(), step->characters);
  for (std::size_t i = 0; i < step->characters; ++i) EXPECT_LE(step->confidence[i], 1.0F);
  return step->puzzle == 0 ? 1 : 0;
}

TEST(C, LetsAModelAnswer) {
  const auto puzzles = small_puzzles(2);
  const Script script(puzzles);
  mgdm_model* model =
      mgdm_model_load(shipped("quick-planning-mgdm").c_str(), "threads=1 batch=2 arithmetic=int8");
  ASSERT_NE(model, nullptr) << mgdm_error();
  EXPECT_STREQ(mgdm_model_task(model), "planning");
  EXPECT_STREQ(mgdm_model_device(model), "a script");
  EXPECT_STREQ(mgdm_model_arithmetic(model), "int8");
  EXPECT_STREQ(mgdm_model_objective(model), "mgdm");
  EXPECT_STREQ(mgdm_model_architecture(model), "looped");
  EXPECT_EQ(mgdm_model_folder(model), shipped("quick-planning-mgdm"));
  EXPECT_GT(mgdm_model_parameters(model), 100'000);
  EXPECT_EQ(std::string(mgdm_model_decoding(model)).substr(0, 35),
            "steps=10 order=topk schedule=linear");

  const char* const inputs[] = {puzzles[0].input.c_str(), puzzles[1].input.c_str()};
  Seen seen;
  mgdm_answers* answers = mgdm_solve(model, inputs, 2, "steps=3 first=9", note, &seen);
  ASSERT_NE(answers, nullptr) << mgdm_error();
  EXPECT_EQ(seen.steps, 4u);  // three, and one of the puzzle that was stopped
  EXPECT_EQ(seen.last[0], puzzles[0].solution);
  EXPECT_EQ(mgdm_answers_count(answers), 2u);
  EXPECT_EQ(mgdm_answers_puzzle(answers, 0), puzzles[0].input);
  EXPECT_EQ(mgdm_answers_text(answers, 0), puzzles[0].solution);
  EXPECT_EQ(mgdm_answers_correct(answers, 0), 1);
  EXPECT_EQ(mgdm_answers_passes(answers, 0), 3);
  EXPECT_STREQ(mgdm_answers_faults(answers, 0), "");
  EXPECT_EQ(mgdm_answers_correct(answers, 1), 0);
  EXPECT_STRNE(mgdm_answers_faults(answers, 1), "");
  EXPECT_EQ(mgdm_answers_text(answers, 2), nullptr);
  mgdm_answers_free(answers);

  // The model's own options, given again, change nothing.
  answers = mgdm_solve(model, inputs, 1, mgdm_model_decoding(model), nullptr, nullptr);
  ASSERT_NE(answers, nullptr) << mgdm_error();
  EXPECT_EQ(mgdm_answers_passes(answers, 0), 10);
  EXPECT_STREQ(mgdm_answers_error(answers, 0), "");
  mgdm_answers_free(answers);

  const char* const nonsense[] = {"nonsense", nullptr};
  answers = mgdm_solve(model, nonsense, 1, nullptr, nullptr, nullptr);
  EXPECT_STRNE(mgdm_answers_error(answers, 0), "");
  EXPECT_EQ(mgdm_answers_correct(answers, 0), 0);
  mgdm_answers_free(answers);
  EXPECT_EQ(mgdm_solve(model, nonsense, 2, nullptr, nullptr, nullptr), nullptr);
  EXPECT_STREQ(mgdm_error_seen(), "a puzzle is NULL");
  EXPECT_EQ(mgdm_solve(model, inputs, 1, "entropy_bound=1", nullptr, nullptr), nullptr);
  mgdm_model_free(model);
}

}  // namespace
}  // namespace mgdm::api
