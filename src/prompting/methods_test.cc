#include "prompting/methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "formats/test_support.h"
#include "prompting/expression.h"
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
  EXPECT_CONTAINS(error_of([&] { resolved(settings); }), "--samples changes nothing");
  settings.method = "cot";
  settings.beam = 2;
  EXPECT_CONTAINS(error_of([&] { resolved(settings); }), "--beam changes nothing");
  EXPECT_EQ(by("cot-sc").samples, 100);
  EXPECT_EQ(by("io").samples, 1);
}

using Numbers = std::vector<std::string>;

class FakeThinker : public Thinker {
 public:
  std::function<std::vector<Step>(const Numbers&)> proposals;
  std::function<double(const Numbers&)> values;
  std::vector<Numbers> proposed, valued;

  std::vector<Step> propose(const Numbers& numbers) override {
    proposed.push_back(numbers);
    return proposals(numbers);
  }
  double value(const Numbers& numbers) override {
    valued.push_back(numbers);
    return values(numbers);
  }
};

// All sums and differences of two neighbours, in order.
std::vector<Step> neighbours(const Numbers& numbers) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    for (const char op : {'+', '-'}) {
      const int a = std::stoi(numbers[i]), b = std::stoi(numbers[i + 1]);
      const std::string result = std::to_string(op == '+' ? a + b : a - b);
      Step step{numbers[i] + op + numbers[i + 1] + "=" + result, numbers};
      step.left.erase(step.left.begin() + static_cast<std::ptrdiff_t>(i));
      step.left[i] = result;
      steps.push_back(step);
    }
  return steps;
}

double total(const Numbers& numbers) {
  double sum = 0;
  for (const std::string& number : numbers) sum += std::stoi(number);
  return sum;
}

TEST(TreeOfThoughts, KeepsTheBestOfEachDepth) {
  FakeThinker thinker;
  thinker.proposals = neighbours;
  thinker.values = total;
  const auto found = search_thoughts(thinker, {"1", "2", "3"}, 2);
  // Depth 1: 1+2 (3 3) and 2+3 (1 5) have 6; 1-2 and 2-3 less. Depth 2: 6 twice.
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].left, (Numbers{"6"}));
  EXPECT_EQ(found[0].steps, (Numbers{"1+2=3 (left: 3 3)", "3+3=6 (left: 6)"}));
  EXPECT_EQ(found[1].steps, (Numbers{"2+3=5 (left: 1 5)", "1+5=6 (left: 6)"}));
  EXPECT_EQ(found[0].value, 6);
  EXPECT_EQ(thinker.proposed, (std::vector<Numbers>{{"1", "2", "3"}, {"3", "3"}, {"1", "5"}}));
  EXPECT_EQ(thinker.valued.size(), 4u + 4u);
}

// Against the whole tree, sorted: with a beam that holds everything the search is exhaustive.
TEST(TreeOfThoughts, AWideBeamFindsAll) {
  FakeThinker thinker;
  thinker.proposals = neighbours;
  thinker.values = [](const Numbers& numbers) { return -std::abs(24 - total(numbers)); };
  const auto found = search_thoughts(thinker, {"9", "8", "7", "1"}, 1000);
  EXPECT_EQ(found.size(), 6u * 4u * 2u);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                             [](const Thought& a, const Thought& b) { return a.value > b.value; }));
  double best = -1000;
  for (const int a : {-8, 8})
    for (const int b : {-7, 7})
      for (const int c : {-1, 1}) best = std::max(best, -std::abs(24.0 - (9 + a + b + c)));
  EXPECT_EQ(found.front().value, best);  // 9 + 8 + 7 - 1 or + 1
}

TEST(TreeOfThoughts, EqualStepsAreKeptOnceAndDeadEndsEnd) {
  FakeThinker thinker;
  thinker.values = total;
  thinker.proposals = [](const Numbers& numbers) {
    auto steps = neighbours(numbers);
    for (const Step& again : neighbours(numbers)) steps.push_back(again);
    return steps;
  };
  EXPECT_EQ(search_thoughts(thinker, {"1", "2"}, 10).size(), 2u);
  thinker.proposals = [](const Numbers& numbers) {
    return numbers.size() == 3 ? neighbours(numbers) : std::vector<Step>{};
  };
  EXPECT_TRUE(search_thoughts(thinker, {"1", "2", "3"}, 10).empty());
  thinker.proposals = [](const Numbers&) { return std::vector<Step>{}; };
  EXPECT_TRUE(search_thoughts(thinker, {"1", "2", "3", "4"}, 10).empty());
}

// A model that proposes, values and answers as the prompts ask it to, for 4 4 10 10.
std::vector<std::string> wise_reply(const ChatRequest& request) {
  const std::string& prompt = request.prompt;
  const auto last = [&](std::string_view word) {
    const std::size_t at = prompt.rfind(word) + word.size();
    return prompt.substr(at, prompt.find('\n', at) - at);
  };
  const std::string numbers = last("Numbers: ");
  if (prompt.ends_with("Next steps:\n")) {
    static const std::map<std::string, std::string> kSteps{
        {"4 4 10 10", "4 + 4 = 8 (left: 10 10 8)\n10 * 10 = 100 (left: 4 4 100)\n"},
        {"4 4 100", "100 - 4 = 96 (left: 4 96)\n4 + 4 = 8 (left: 100 8)\n"},
        {"4 96", "96 / 4 = 24 (left: 24)\n4 + 96 = 100 (left: 100)\n"},
        {"10 10 8", "10 + 8 = 18 (left: 10 18)\n"}};
    const auto found = kSteps.find(numbers);
    return {found == kSteps.end() ? "I see none." : found->second};
  }
  if (prompt.find("Can these numbers") == 0) {
    static const std::map<std::string, std::string> kValues{
        {"4 4 100", "sure"}, {"4 96", "sure"}, {"24", "sure"}, {"10 10 8", "likely"}};
    const auto found = kValues.find(numbers);
    return {found == kValues.end() ? "impossible" : found->second};
  }
  if (prompt.find("Is the answer right?") == 0) return {"sure"};
  return {"Answer: (10 * 10 - 4) / 4 = 24"};
}

TEST(TreeOfThoughts, SolvesAGameWithAModel) {
  FakeChat chat(wise_reply);
  MethodSettings settings;
  settings.method = "tot";
  settings.model = "wise";
  settings.beam = 2;
  settings.votes = 3;
  const Outcome outcome = play(chat, {{4, 4, 10, 10}}, resolved(settings));
  EXPECT_EQ(outcome.answers, std::vector<std::string>{"(10 * 10 - 4) / 4"});
  EXPECT_EQ(outcome.right, 1);
  EXPECT_TRUE(outcome.any);
  // Proposals: 1 + 2 + 2; values of 10 10 8, 4 4 100, 4 96, 100 8, 10 18, 24, 100, each by three
  // votes, none twice; one answer, judged three times.
  EXPECT_EQ(outcome.usage.requests, 5 + 3 * 7 + 1 + 3);
  EXPECT_EQ(outcome.usage.prompt_tokens, 100 * outcome.usage.requests);
  std::map<std::string, std::vector<std::int64_t>> samples;
  for (const ChatRequest& request : chat.asked()) {
    EXPECT_EQ(request.model, "wise");
    samples[request.prompt].push_back(request.sample);
  }
  for (const auto& [prompt, drawn] : samples) {
    if (drawn.size() > 1) {
      EXPECT_EQ(drawn, (std::vector<std::int64_t>{0, 1, 2})) << prompt;
    }
  }
}

// Two thoughts claim to have reached 24, and the one that comes first is wrong.
TEST(TreeOfThoughts, TheAnswerJudgedBestComesFirst) {
  std::string judgement_of_wrong;
  FakeChat chat([&](const ChatRequest& request) -> std::vector<std::string> {
    const std::string& prompt = request.prompt;
    const bool wrong = prompt.find("4 - 96 = 24") != std::string::npos;
    if (prompt.ends_with("Numbers: 4 96\nNext steps:\n"))
      return {"4 - 96 = 24 (left: 24)\n96 / 4 = 24 (left: 24)\n"};
    if (prompt.find("Is the answer right?") == 0 && prompt.find("4 - 96") != std::string::npos)
      return {judgement_of_wrong};
    if (wrong) return {"Answer: 4 - 96 = 24"};
    return wise_reply(request);
  });
  MethodSettings settings;
  settings.method = "tot";
  settings.beam = 2;
  const std::string right = "(10 * 10 - 4) / 4", wrong = "4 - 96";
  judgement_of_wrong = "impossible";
  EXPECT_EQ(play(chat, kGame, resolved(settings)).answers, (std::vector{right, wrong}));
  judgement_of_wrong = "sure";  // as good as the other: they stay in their order
  EXPECT_EQ(play(chat, kGame, resolved(settings)).answers, (std::vector{wrong, right}));
}

TEST(TreeOfThoughts, NothingProposedIsNoAnswer) {
  FakeChat chat([](const ChatRequest&) { return std::vector<std::string>{"No idea."}; });
  MethodSettings settings;
  settings.method = "tot";
  const Outcome outcome = play(chat, {{1, 1, 1, 1}}, resolved(settings));
  EXPECT_TRUE(outcome.answers.empty());
  EXPECT_EQ(outcome.right, 0);
  EXPECT_FALSE(outcome.any);
  EXPECT_EQ(outcome.usage.requests, 1);
}

}  // namespace

}  // namespace mgdm::prompting
