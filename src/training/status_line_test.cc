#include "training/status_line.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/interrupt.h"
#include "support/test_terminal.h"

namespace mgdm::training {
namespace {

using namespace std::chrono_literals;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string text_of(std::FILE* file) {
  std::string text(4096, ' ');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(StatusLine, IsPrintedNowAndThenInAFile) {
  const File file(std::tmpfile(), std::fclose);
  StatusLine status(/*quiet=*/false, file.get());
  const auto start = StatusLine::Clock::now();
  EXPECT_TRUE(status.due(start));
  status.keep("a note\x1b[2J");
  EXPECT_TRUE(status.due(start));  // nothing was said of how it goes
  status.show("step 1", start);
  EXPECT_FALSE(status.due(start + 9s));
  EXPECT_TRUE(status.due(start + 10s));
  status.show("step 2", start + 10s);
  EXPECT_FALSE(status.due(start + 19s));
  EXPECT_EQ(text_of(file.get()), "a note\\x1b[2J\nstep 1\nstep 2\n");
}

// The file's text once it is this long, or after long enough.
std::string text_with(std::FILE* file, const std::string& expected) {
  for (int i = 0; i < 300 && !text_of(file).starts_with(expected); ++i)
    std::this_thread::sleep_for(50ms);
  return text_of(file);
}

// A large network takes minutes for it.
TEST(StatusLine, SaysThatAFirstStepTakesLong) {
  const File file(std::tmpfile(), std::fclose);
  StatusLine status(/*quiet=*/false, file.get());
  status.step_begins();
  EXPECT_EQ(text_with(file.get(), "the first"), "the first step is under way ...\n");
}

// Long before the step ends; and not where something else than a step is under way.
TEST(StatusLine, AnswersCtrlCAtOnce) {
  const auto answered = [] {
    catch_interrupts();
    const File file(std::tmpfile(), std::fclose), other(std::tmpfile(), std::fclose);
    StatusLine status(/*quiet=*/false, file.get()), idle(/*quiet=*/false, other.get());
    status.step_begins();
    idle.step_begins();
    idle.step_ends();
    std::raise(SIGINT);
    std::fputs(text_with(file.get(), "stopping").c_str(), stderr);
    std::fputs(text_of(other.get()).c_str(), stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(answered(), testing::ExitedWithCode(0),
              "^stopping after this step, and saving; Ctrl-C again: at once\n$");
}

TEST(StatusLine, MovesEverySecondOnATerminal) {
  const TestTerminal terminal;
  if (terminal.file() == nullptr) GTEST_SKIP() << "no terminal can be had";
  StatusLine status(/*quiet=*/false, terminal.file());
  const auto start = StatusLine::Clock::now();
  EXPECT_TRUE(status.due(start));
  status.show("step 1", start);
  EXPECT_FALSE(status.due(start + 900ms));
  EXPECT_TRUE(status.due(start + 1s));
  status.show("step 2", start + 1s);
  status.keep("the end");
  EXPECT_EQ(terminal.shown_up_to("\n"), "\rstep 1\x1b[K\rstep 2\x1b[K\r\x1b[Kthe end\r\n");
}

TEST(StatusLine, FitsIntoTheTerminalUnlessItStays) {
  const TestTerminal terminal(10);
  if (terminal.file() == nullptr) GTEST_SKIP() << "no terminal can be had";
  StatusLine status(/*quiet=*/false, terminal.file());
  status.show("step 1234567");
  status.keep("step 1234567");
  EXPECT_EQ(terminal.shown_up_to("\n"), "\rstep 123…\x1b[K\r\x1b[Kstep 1234567\r\n");
}

TEST(StatusLine, SaysWhenTheHeldOutLossIsOfAnEarlierStep) {
  EXPECT_EQ(held_out_words(1.75934, 0.5714, 25, 25), "held-out 1.7593 (57.1% of tokens)");
  EXPECT_EQ(held_out_words(1.75934, 0.5714, 25, 145),
            "held-out 1.7593 at step 25 (57.1% of tokens)");
}

TEST(StatusLine, IsSilentWhenAsked) {
  const File file(std::tmpfile(), std::fclose);
  StatusLine status(/*quiet=*/true, file.get());
  EXPECT_FALSE(status.due());
  status.show("step 1");
  status.keep("the end");
  EXPECT_EQ(text_of(file.get()), "");
}

Budget budget(double epochs, std::int64_t steps, double minutes, std::int64_t examples = 50000) {
  TrainingSettings settings;
  settings.batch = 1024;
  settings.epochs = epochs;
  settings.steps = steps;
  settings.minutes = minutes;
  return {settings, examples};
}

TEST(Budgets, EpochsAreStepsOfTheWholeData) {
  EXPECT_EQ(budget(1200, 0, 0).steps(), 58594);  // 1200 * 50000 / 1024 = 58593.75
  EXPECT_EQ(budget(0.5, 0, 0, 2048).steps(), 1);
  EXPECT_EQ(budget(1, 0, 0, 3).steps(), 1);  // never none
}

TEST(Budgets, TheFractionFollowsStepsOrTheClock) {
  const Budget steps = budget(0, 200, 0);
  EXPECT_EQ(steps.steps(), 200);
  EXPECT_EQ(steps.fraction(50, 1e9), 0.25);
  EXPECT_EQ(steps.fraction(500, 0), 1);
  const Budget minutes = budget(0, 0, 2);
  EXPECT_EQ(minutes.steps(), 0);
  EXPECT_EQ(minutes.fraction(1000000, 30), 0.25);
  EXPECT_EQ(minutes.fraction(0, 121), 1);
}

TEST(Budgets, DataWithoutEndHaveNoEpochs) {
  EXPECT_THROW(budget(1, 0, 0, 0), UsageError);
  EXPECT_EQ(budget(0, 5, 0, 0).steps(), 5);
}

TEST(Budgets, ExactlyOneIsNamed) {
  EXPECT_THROW(budget(0, 0, 0), UsageError);
  EXPECT_THROW(budget(1, 1, 0), UsageError);
  EXPECT_THROW(budget(0, 1, 1), UsageError);
}

}  // namespace

}  // namespace mgdm::training
