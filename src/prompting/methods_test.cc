#include "prompting/methods.h"

#include <gtest/gtest.h>

#include "formats/test_support.h"
#include "prompting/prompts.h"
#include "prompting/test_support.h"

namespace mgdm::prompting {
namespace {

const Game24 kGame{{4, 4, 10, 10}};
constexpr const char* kRight = "Answer: (10 * 10 - 4) / 4 = 24";

MethodSettings by(const std::string& method, std::int64_t samples = 0) {
  MethodSettings settings;
  settings.method = method;
  settings.model = "m";
  settings.samples = samples;
  return resolved(settings);
}

TEST(Methods, IoAndCotAreTheMeanOfTheirSamples) {
  FakeChat chat([](const ChatRequest& request) {
    return std::vector<std::string>{request.sample % 2 == 0 ? kRight : "Answer: 4 + 4 = 24"};
  });
  const Outcome io = play(chat, kGame, by("io", 4));
  EXPECT_EQ(io.right, 0.5);
  EXPECT_TRUE(io.any);
  EXPECT_EQ(io.answers.size(), 4u);
  EXPECT_EQ(io.usage, (Usage{4, 400, 40}));
  EXPECT_EQ(chat.asked().front().prompt, io_prompt(kGame));
  EXPECT_EQ(play(chat, kGame, by("cot")).right, 1);
  EXPECT_EQ(chat.asked().back().prompt, cot_prompt(kGame));
}

TEST(Methods, SelfConsistencyTakesTheMostFrequentAnswer) {
  const std::vector<std::string> replies{
      "Answer: 1+1",         kRight,    "nothing",    "Answer: 1 + 1",
      "Answer: (10*10-4)/4", "nothing", "Answer: 1+1"};
  FakeChat chat([&](const ChatRequest& request) {
    return std::vector<std::string>{replies[static_cast<std::size_t>(request.sample)]};
  });
  const Outcome outcome = play(chat, kGame, by("cot-sc", 7));
  EXPECT_EQ(outcome.answers, (std::vector<std::string>{"1+1", "(10 * 10 - 4) / 4"}));
  EXPECT_EQ(outcome.right, 0);  // three votes against two
  EXPECT_TRUE(outcome.any);
  EXPECT_EQ(play(chat, kGame, by("cot-sc", 2)).right, 0);  // a tie: the earlier
}

TEST(Methods, AsksForSeveralTextsAtOnceWhereItMay) {
  FakeChat chat([](const ChatRequest& request) {
    // An endpoint that gives at most two, and one that gives too many at the end.
    return std::vector<std::string>(request.choices >= 2 ? 2 : 3, kRight);
  });
  MethodSettings settings = by("io", 5);
  settings.choices = 4;
  const Outcome outcome = play(chat, kGame, settings);
  EXPECT_EQ(outcome.answers.size(), 5u);
  const auto asked = chat.asked();
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0].choices, 4);
  EXPECT_EQ(asked[1].choices, 3);
  EXPECT_EQ(asked[1].sample, 2);
  EXPECT_EQ(asked[2].choices, 1);
  EXPECT_EQ(asked[2].sample, 4);
}

TEST(Methods, RefusesSettingsThatChangeNothing) {
  MethodSettings settings;
  settings.method = "tot";
  settings.samples = 3;
  EXPECT_CONTAINS(formats::error_of([&] { resolved(settings); }), "--samples changes nothing");
  settings.method = "cot";
  settings.beam = 2;
  EXPECT_CONTAINS(formats::error_of([&] { resolved(settings); }), "--beam changes nothing");
  EXPECT_EQ(by("cot-sc").samples, 100);
  EXPECT_EQ(by("io").samples, 1);
}

}  // namespace
}  // namespace mgdm::prompting
