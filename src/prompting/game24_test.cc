#include "prompting/game24.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "formats/records.h"
#include "formats/test_support.h"
#include "prompting/expression.h"
#include "prompting/prompts.h"

namespace mgdm::prompting {
namespace {

TEST(Expression, ComputesExactly) {
  const auto value = [](std::string_view text) {
    const auto parsed = parse_expression(text);
    return parsed ? parsed->value : Fraction{0, 0};
  };
  EXPECT_EQ(value("8 / (3 - 8 / 3)"), (Fraction{24, 1}));
  EXPECT_EQ(value("1+2*3-4/2"), (Fraction{5, 1}));
  EXPECT_EQ(value("7 - 2 - 1"), (Fraction{4, 1}));
  EXPECT_EQ(value("-(2 - 5)*8"), (Fraction{24, 1}));
  EXPECT_EQ(value("1/3+1/6"), (Fraction{1, 2}));
  EXPECT_EQ(value("3 \xc3\x97 8"), (Fraction{24, 1}));
  EXPECT_EQ(value("48 \xc3\xb7 2"), (Fraction{24, 1}));
  EXPECT_EQ(value("30 \xe2\x88\x92 6"), (Fraction{24, 1}));
  EXPECT_EQ(value("4 \\times 6"), (Fraction{24, 1}));
  EXPECT_EQ(value("30 – 6"), (Fraction{24, 1}));
  EXPECT_EQ(value("\\frac{8}{3 - \\frac{8}{3}}"), (Fraction{24, 1}));
  EXPECT_EQ(value("\\left[\\dfrac{4+8}{2}\\right]\\,\\cdot\\!{4}"), (Fraction{24, 1}));
  EXPECT_EQ(parse_expression("4*(6 - 10)+5")->numbers, (std::vector<std::int64_t>{4, 6, 10, 5}));
}

TEST(Expression, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "(",
                           "1+",
                           "1 2",
                           "4 (5)",
                           "2**3",
                           "1/0",
                           "1/(2-2)",
                           "4 + x",
                           "(1+2",
                           "1+2)",
                           "2^3",
                           "99999999999999999999",
                           "9223372036854775807*2",
                           "1.5*16",
                           "\\frac{1}2",
                           "\\frac{1}{2",
                           "1\u00a02",
                           "{1}}",
                           "\\frac{1"})
    EXPECT_FALSE(parse_expression(text)) << text;
  EXPECT_TRUE(parse_expression(std::string(100, '-') + "1"));  // as deep as is read
  EXPECT_FALSE(parse_expression(std::string(101, '-') + "1"));
  EXPECT_FALSE(parse_expression(std::string(100000, '(')));  // and does not overflow the stack
}

TEST(PlainSigns, AreThoseOfAKeyboard) {
  EXPECT_EQ(plain_signs("4 \\times \\frac{6}{2} ✅"), "4 * ((6)/(2))");
  EXPECT_EQ(plain_signs("\\[ \\boxed{(10 - 4) \\cdot {4}} \\]"), "(10 - 4) * (4)");
  EXPECT_EQ(plain_signs("$$\t 8\u202f÷\u00a02 "), "8 / 2");
  EXPECT_EQ(plain_signs("$$"), "");
}

TEST(Game24, ReadsPuzzlesOfCountdownFiles) {
  EXPECT_EQ(numbers_text(parse_game24("4,5,6,10,24")), "4 5 6 10");
  EXPECT_CONTAINS(error_of([] { parse_game24("4,5,6,10,25"); }), "the target of");
  EXPECT_NE(error_of([] { parse_game24("4,5,6,24"); }), "");
}

TEST(Game24, EachNumberIsUsedExactlyOnce) {
  const Game24 game{{4, 4, 10, 10}};
  EXPECT_TRUE(makes_24(game, "(10 * 10 - 4) / 4"));
  EXPECT_FALSE(makes_24(game, "4 * 10 - 10 - 4"));    // not 24
  EXPECT_FALSE(makes_24(game, "4 * (10 - 4)"));       // too few
  EXPECT_FALSE(makes_24(game, "4+10+10"));            // too few
  EXPECT_FALSE(makes_24(game, "(10*10-4)/4+10-10"));  // too many
  EXPECT_FALSE(makes_24(game, "24"));
  EXPECT_FALSE(makes_24(game, ""));
}

TEST(Game24, FindsTheAnswerAmongWords) {
  EXPECT_EQ(answer_of("Answer: (1 + 2) * 8 = 24"), "(1 + 2) * 8");
  EXPECT_EQ(answer_of("I think.\n**Answer:** `3*8`\n"), "3*8");
  EXPECT_EQ(answer_of("Answer: 1\n\nNo.\nanswer : 2 = 24 \r\n"), "2");
  EXPECT_EQ(answer_of("Answer:"), "");
  EXPECT_EQ(answer_of("The answer is 24"), std::nullopt);
  EXPECT_EQ(answer_of("Here you are:\n4*5+(10-6) = 24\nThat makes 24."), "4*5+(10-6)");
  EXPECT_EQ(answer_of("10-6=4\n4*5=20"), std::nullopt);  // which of them?
  EXPECT_EQ(answer_of("3*8\nAnswer: 4*6"), "4*6");
  EXPECT_EQ(answer_of(""), std::nullopt);
}

TEST(Game24, FindsTheAnswerHoweverItIsWritten) {
  const Game24 game{{4, 5, 6, 10}};
  for (const char* reply : {"Answer:\n4 * 5 - 6 + 10 = 24",
                            "Answer:\n\n**4 * 5 - 6 + 10**\nThat is 24.",
                            "Answer: 4 x 5 - 6 + 10",
                            "Final Answer: 4 * 5 - 6 + 10 = 24",
                            "**Final answer:** 4 * 5 - 6 + 10",
                            "The answer is: 4 * 5 - 6 + 10 = 24",
                            "- Answer: 4 * 5 - 6 + 10 = 24",
                            "Answer: $\\boxed{4 \\times 5 - 6 + 10}$",
                            "Answer: \\boxed{4 * 5 - 6 + 10 = 24}.",
                            "Answer: \\(4 \\cdot 5 + \\left(10 - 6\\right)\\)",
                            "Answer: [4 * 5] - [6 - 10]",
                            "Answer: 24 = 4 * 5 - 6 + 10",
                            "Answer: 4 * 5 - 6 + 10.",
                            "1. 4 * 5 - 6 + 10 = 24",
                            "4 * 5 - 6 + 10 = 24\n\nFinal answer: 24",
                            "Answer: 4 * 5 - 6 + 10 = 24\nThe final answer is: $\\boxed{24}$",
                            "Answer:\n\\[\n4 \\times 5 - 6 + 10 = 24\n\\]",
                            "Answer: \\[\n4 \\times 5 - 6 + 10\n\\]",
                            "Answer:\n```text\n4 * 5 - 6 + 10\n```",
                            "Answer: ```4 * 5 - 6 + 10```",
                            "Answer:\n\\begin{align*}\n4 * 5 - 6 + 10 &= 24 \\\\\n\\end{align*}",
                            "Answer: \\(4 \\times 5 - 6\\) + \\(10\\) = \\(24\\)",
                            "Answer: \\boxed{4 \\times 5 - 6 + 10} = \\boxed{24}",
                            "Answer: 24 = 4 * 5 - 6 + 10 = 20 + 4",
                            "Answer: x = 4 * 5 - 6 + 10 = 24",
                            "Answer: 4 \\* 5 – 6 + 10 ✅",
                            "4 * 5 - 6 + 10\n4 * 5 - 6 + 10 = 24\nAnswer: 24",
                            "Answer: **4 * 5 - 6 + 10**.",
                            "Answer: `4 * 5 - 6 + 10`.",
                            "**Answer**: **4 * 5 - 6 + 10**.",
                            "Answer:\n**4 * 5 - 6 + 10** = 24",
                            "Answer: 24 = `4 * 5 - 6 + 10`",
                            "1. **4 * 5 - 6 + 10** = 24",
                            "Answer: 4 * 5 - 6 = 14\nFinal answer: **4 * 5 - 6 + 10** = 24",
                            "Answer: **4 * 5 - 6 + 10** ✅",
                            "Answer: 4 * 5 - 6 + 10\n**Final Answer:** The expression equals 24.",
                            "Answer: 4 * 5 - 6 + 10\nFinal answer: 24 (correct)",
                            "Answer: 4 * 5 - 6 + 10\nFinal answer: $24$ \\checkmark",
                            "Answer: 4 * 5 - 6 + 10\nFinal answer: 4 * 5 - 6 + 10, which is 24",
                            "4*5-6+10=24\n4 * 5 - 6 + 10 = 24",
                            "\\(4 \\times 5 = 20\\), so\n4 * 5 - 6 + 10 = 24",
                            "Answer:\nLet me check.\n4 * 5 - 6 + 10 = 24"})
    EXPECT_TRUE(makes_24(game, answer_of(reply).value_or(""))) << reply;
  EXPECT_EQ(answer_of("Answer: none\n4 * 5 - 6 + 10"), "none");
  EXPECT_EQ(answer_of("Answer: 4 * 5 - 6 + 10\nAnswer: no, none"), "no, none");
  EXPECT_EQ(answer_of("Answer:\n\\[\n"), "");
  EXPECT_EQ(answer_of("4*5\n6+10\nAnswer: 24"), "24");  // of which of them?
  EXPECT_EQ(answer_of("The answer is near: 4"), std::nullopt);
}

TEST(Game24, FindsStepsOfTheRightForm) {
  const auto steps = steps_of(
      "Here are some:\n1. 2 * 6 = 12 (left: 4 12 5)\n- 4 + 6 = 10 (left: 2, 5, 10)\n"
      "4 + 6 = 10 (left: 2 5)\n4 + 6 (left: 1 2 3)\n(left: )\n4 = 4 )(left: 3\n",
      3);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0], (Step{"2 * 6 = 12", {"4", "12", "5"}}));
  EXPECT_EQ(steps[1], (Step{"4 + 6 = 10", {"2", "5", "10"}}));
  // A sign without a number is no bullet.
  EXPECT_EQ(steps_of(") 4 + 6 = 10 (left: 10)", 1).at(0).equation, ") 4 + 6 = 10");
}

TEST(Game24, TakesTheLastWordOfAJudgement) {
  EXPECT_EQ(value_of("3 * 8 = 24\nsure"), 20);
  EXPECT_EQ(value_of("It is likely. No: Impossible."), 0.001);
  EXPECT_EQ(value_of("sure? hmm, likely"), 1);
  EXPECT_EQ(value_of("surely unlikely"), std::nullopt);
  EXPECT_EQ(value_of(""), std::nullopt);
}

TEST(Prompts, ExamplesAreRightAndNotFromTheTest) {
  std::set<std::vector<std::int64_t>> test;
  if (const char* const data = std::getenv("MGDM_TEST_DATA")) {
    const auto file = std::filesystem::path(data) / "paper/cd4_tot24.jsonl";
    if (std::filesystem::exists(file)) {
      formats::for_each_record(file.string(), {}, [&](const formats::Record& record) {
        auto numbers = parse_game24(record.named("input")->text).numbers;
        std::sort(numbers.begin(), numbers.end());
        test.insert(numbers);
      });
      EXPECT_EQ(test.size(), 100u);
    }
  }
  ASSERT_EQ(shots().size(), 5u);
  for (const Shot& shot : shots()) {
    EXPECT_TRUE(makes_24(shot.game, shot.answer)) << shot.answer;
    EXPECT_FALSE(test.contains(shot.game.numbers)) << numbers_text(shot.game);
    std::vector<std::string> left;
    for (const auto number : shot.game.numbers) left.push_back(std::to_string(number));
    ASSERT_EQ(shot.steps.size(), 3u);
    for (const std::string& line : shot.steps) {
      const auto steps = steps_of(line, left.size() - 1);
      ASSERT_EQ(steps.size(), 1u) << line;
      const std::string& equation = steps[0].equation;
      const std::size_t equals = equation.find('=');
      const auto expression = parse_expression(equation.substr(0, equals));
      ASSERT_TRUE(expression) << line;
      std::vector<std::string> expected = left;
      for (const auto number : expression->numbers) {
        const auto used = std::find(expected.begin(), expected.end(), std::to_string(number));
        ASSERT_NE(used, expected.end()) << line;
        expected.erase(used);
      }
      expected.push_back(std::to_string(expression->value.numerator));
      EXPECT_EQ(equation.substr(equals + 2), expected.back()) << line;
      EXPECT_EQ(steps[0].left, expected) << line;
      left = expected;
    }
    EXPECT_EQ(left, std::vector<std::string>{"24"});
  }
}

TEST(Prompts, AskAboutTheGame) {
  const Game24 game{{4, 5, 6, 10}};
  EXPECT_TRUE(io_prompt(game).ends_with("Numbers: 4 5 6 10\n"));
  EXPECT_TRUE(cot_prompt(game).ends_with("Numbers: 4 5 6 10\nSteps:\n"));
  EXPECT_CONTAINS(propose_prompt({"4", "5"}), "Numbers: 4 5\nNext steps:\n");
  EXPECT_TRUE(value_prompt({"4", "5"}).ends_with("Numbers: 4 5\n"));
  EXPECT_CONTAINS(judge_prompt(game, "1+1"), "Answer: 1+1 = 24");
  EXPECT_EQ(prompts_version().size(), 16u);
}

}  // namespace
}  // namespace mgdm::prompting
