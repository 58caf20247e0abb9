#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "tasks/all_tasks.h"
#include "tasks/countdown/generate.h"
#include "tasks/countdown/released_metric.h"
#include "tasks/countdown/search.h"
#include "tasks/countdown/verify.h"

namespace mgdm::tasks::countdown {
namespace {

std::string label(std::vector<Number> numbers, Number target) {
  const auto solution = first_solution(numbers, target);
  return solution ? render(*solution) : "none";
}

// The search of the protocol once more, slow and obvious: values and texts in lists.
bool slow_search(std::vector<Number> numbers, Number target, std::string& text) {
  if (numbers.size() == 1) return numbers[0] == target;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      const Number a = numbers[i], b = numbers[j];
      const Number larger = std::max(a, b), smaller = std::min(a, b);
      for (const char op : {'+', '*', '-', '/'}) {
        const bool ordered = op == '-' || op == '/';
        const Equation step{ordered ? larger : a, op, ordered ? smaller : b, 0};
        const auto result = value(step.x, op, step.y);
        if (!result) continue;
        std::vector<Number> rest = numbers;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        rest.push_back(*result);
        const std::string before = text;
        text += (text.empty() ? "" : ",") + render(Equation{step.x, op, step.y, *result});
        if (slow_search(rest, target, text)) return true;
        text = before;
      }
    }
  }
  return false;
}

TEST(CountdownSearch, DrawsEverySolutionAsOften) {
  // By hand, 6 from 1, 2 and 3: those of CountsSolutions, none of which has another order.
  std::map<std::string, int> seen;
  constexpr int kDraws = 3000, kSolutions = 9;
  const std::vector<Number> numbers{1, 2, 3};
  Stream random(5, Purpose::kGenerate, 0);
  for (int i = 0; i < kDraws; ++i) ++seen[render(*any_solution(numbers, 6, random))];
  EXPECT_EQ(seen.size(), kSolutions);
  // Mean 333, standard deviation 17.2.
  for (const auto& [text, n] : seen) EXPECT_NEAR(n, kDraws / kSolutions, 5 * 17.2) << text;
  EXPECT_FALSE(any_solution(numbers, 77, random));
}

TEST(CountdownSearch, FindsTheSolutionWithTheSmallestResults) {
  const auto smallest = [](std::vector<Number> numbers, Number target) {
    const auto solution = smallest_solution(numbers, target);
    return solution ? render(*solution) : "none";
  };
  // 34 + 68 has 102 on the way, the two others have not; 34 - 2 leaves less than 68 - 2.
  EXPECT_EQ(smallest({34, 68, 2}, 100), "34-2=32,68+32=100");
  // The largest result is 6 in all nine; then the sum decides: 2/1=2 and 1*2=2 come to 8, and 1*2
  // is found before.
  EXPECT_EQ(smallest({1, 2, 3}, 6), "1*2=2,3*2=6");
  EXPECT_EQ(smallest({1, 2, 3}, 77), "none");
}

TEST(CountdownSearch, FindsTheProtocolsFirstSolution) {
  // From the paper's released test file.
  EXPECT_EQ(label({86, 28, 13, 31}, 96), "86+28=114,31-13=18,114-18=96");
  EXPECT_EQ(label({78, 90, 80, 98}, 41), "80-78=2,98/2=49,90-49=41");
  EXPECT_EQ(label({1, 1, 1}, 100), "none");
}

TEST(CountdownSearch, EqualsTheSlowSearch) {
  for (std::uint32_t item = 0; item < 300; ++item) {
    Stream random(1, Purpose::kTest, item);
    std::vector<Number> numbers(3 + item % 2);
    for (Number& number : numbers) number = random.between(0, item % 3 == 0 ? 9 : 99);
    const Number target = random.between(0, 100);
    std::string slow;
    if (!slow_search(numbers, target, slow)) slow = "none";
    EXPECT_EQ(label(numbers, target), slow);
    EXPECT_EQ(reachable(numbers, target), slow != "none");
  }
}

TEST(CountdownSearch, LargeNumbersDoNotOverflow) {
  const std::vector<Number> numbers{9999, 9999, 9999, 9999, 9999, 9998};
  EXPECT_FALSE(reachable(std::vector<Number>{9999, 9999, 9999, 9999, 9999}, 7));
  EXPECT_TRUE(reachable(numbers, 9998));
}

TEST(CountdownProblem, ParsesAndRenders) {
  EXPECT_EQ(render(parse_problem("86,28,13,31,96", 4)), "86,28,13,31,96");
  for (const char* bad :
       {"", "1,2,3", "1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,", "1,2,,4,5", "a,2,3,4,5", "1,2,3,4,99999",
        "1,2,3,4,-5", " 1,2,3,4,5", "1;2;3;4;5", "1,2,3,4,99999999999999999999999999"})
    EXPECT_THROW(parse_problem(bad, 4), Error) << bad;
}

TEST(CountdownProblem, IsReadAsPeopleWriteIt) {
  const auto task = tasks::make_task("countdown-4");
  for (const char* typed :
       {"4,5,6,10,24", " 4, 5 ,6,10,24", "4 5 6 10 24", "4 5 6 10 -> 24", "4, 5, 6, 10 = 24",
        "4;5;6;10;24", "4 5 6 10: 24", "4 5\t6  10 → 24", "[4, 5, 6, 10] -> 24",
        "nums: [4, 5, 6, 10], target: 24", "{4 5 6 10} = 24", "(4,5,6,10),24"})
    EXPECT_EQ(task->normalize_input(typed), "4,5,6,10,24") << typed;
  for (const char* bad : {"4,5,6,10,24,", ",4,5,6,10,24", "4+5+6+10=24", "4 5 6 -10 24",
                          "4,,5,6,10", "4 5 6 10", "4.5,6,10,24", ""})
    EXPECT_THROW(task->normalize_input(bad), Error) << bad;
}

TEST(CountdownEquation, ParsesStrictly) {
  EXPECT_EQ(parse_equation("12*3=36"), (Equation{12, '*', 3, 36}));
  for (const char* bad : {"", "1", "1+2", "1+2=", "+2=3", "1+=3", "1+2=3=3", "1+2+3=6", "1^2=1",
                          "1+2=-3", "1 +2=3", "1234567890123456+1=2"})
    EXPECT_FALSE(parse_equation(bad)) << bad;
}

TEST(CountdownVerify, Strict) {
  const Problem problem = parse_problem("86,28,13,31,96", 4);
  EXPECT_TRUE(correct(problem, "86+28=114,31-13=18,114-18=96"));
  EXPECT_TRUE(correct(problem, "28+86=114,31-13=18,114-18=96"));
  EXPECT_FALSE(correct(problem, "86+28=114,31-13=18,114-18=95"));   // false equation
  EXPECT_FALSE(correct(problem, "86+28=114,114-18=96"));            // 18 does not exist
  EXPECT_FALSE(correct(problem, "86+28=114,31-13=18,114+18=132"));  // another target
  EXPECT_FALSE(correct(problem, "86+10=96"));
  EXPECT_FALSE(correct(problem, ""));
  EXPECT_FALSE(correct(parse_problem("5,5,3,2,10", 4), "5+5=10"));  // numbers left over
  EXPECT_FALSE(correct(parse_problem("4,2,1,1,3", 4), "2-4=2,2+1=3,3*1=3"));
}

std::vector<std::pair<std::string, int>> faults(const std::string& input,
                                                const std::string& answer) {
  std::vector<std::pair<std::string, int>> found;
  for (const Fault& fault : explain(parse_problem(input, 4), answer)) {
    found.emplace_back(fault.category, fault.where);
    EXPECT_FALSE(fault.words.empty());
  }
  return found;
}

using Found = std::vector<std::pair<std::string, int>>;

TEST(Countdown, SaysWhatIsNeverDrawn) {
  const auto task = make_task("countdown-4");
  for (const Split split : {Split::kTrain, Split::kTest})
    for (std::uint32_t item = 0; item < 50; ++item)
      EXPECT_FALSE(task->unfamiliar(task->generate(0, split, item).input));
  EXPECT_FALSE(task->unfamiliar("1,99,99,1,10"));
  EXPECT_FALSE(task->unfamiliar("1,99,99,1,100"));
  EXPECT_EQ(task->unfamiliar("1,2,500,3,96"),
            "500 is beyond the numbers 1..99 and the targets 10..100");
  EXPECT_EQ(task->unfamiliar("0,2,100,3,900"),
            "0, 100 and the target 900 are beyond the numbers 1..99 and the targets 10..100");
  EXPECT_EQ(make_task("countdown-4", {"largest=13"})->unfamiliar("4,5,6,14,9"),
            "14 and the target 9 are beyond the numbers 1..13 and the targets 10..100");
  EXPECT_TRUE(make_task("search-4")->unfamiliar("4,5,6,14,9"));
}

TEST(CountdownExplain, NothingWrong) {
  EXPECT_EQ(faults("86,28,13,31,96", "86+28=114,31-13=18,114-18=96"), Found{});
}

TEST(CountdownExplain, CalculationError) {
  // The plan is right all the way: only the written result of equation 1 is wrong.
  EXPECT_EQ(faults("86,28,13,31,96", "86+28=115,31-13=18,115-18=96"),
            (Found{{"calculation error", 1}, {"calculation error", 3}}));
  EXPECT_EQ(faults("4,2,1,1,3", "4/0=3").front(),
            (std::pair<std::string, int>{"calculation error", 1}));
}

TEST(CountdownExplain, NumberNotAvailable) {
  EXPECT_EQ(faults("86,28,13,31,96", "86+28=114,31-14=17,114-17=97"),
            (Found{{"number not available", 2}, {"target missed", 0}}));
  EXPECT_EQ(faults("4,5,6,10,24", "4+4=8"),
            (Found{{"number not available", 1}, {"target missed", 0}}));
}

TEST(CountdownExplain, SaysWhetherANumberIsThereAtAll) {
  const auto words = [](const std::string& input, const std::string& answer) {
    return explain(parse_problem(input, 4), answer).front().words;
  };
  EXPECT_EQ(words("4,5,6,10,24", "4+4=8"),
            "equation 1 uses 4 twice, but the numbers at hand have it once: 4, 5, 6, 10");
  EXPECT_EQ(words("4,5,6,10,24", "7+7=14"),
            "equation 1 uses 7, but the numbers at hand are 4, 5, 6, 10");
  EXPECT_EQ(words("4,5,6,10,24", "4+7=11"),
            "equation 1 uses 7, but the numbers at hand are 4, 5, 6, 10");
  EXPECT_EQ(words("4,5,6,10,24", "4+5=9,9+4=13"),
            "equation 2 uses 4, but the numbers at hand are 6, 10, 9");
}

TEST(CountdownExplain, TargetMissedAndPlanningError) {
  // After 86*28=2408 nothing reaches 96 any more.
  EXPECT_EQ(faults("86,28,13,31,96", "86*28=2408,13+31=44,2408-44=2364"),
            (Found{{"target missed", 0}, {"planning error", 1}}));
  // 86+28=114 is the label's own first step; 13*31 ruins it.
  EXPECT_EQ(faults("86,28,13,31,96", "86+28=114,13*31=403,403-114=289"),
            (Found{{"target missed", 0}, {"planning error", 2}}));
}

TEST(CountdownExplain, PlanningGoesByTrueValues) {
  // 86+28 is written as 113; truly 114, from which 96 can still be reached, so there is no planning
  // error at equation 1, and none at all.
  EXPECT_EQ(faults("86,28,13,31,96", "86+28=113,31-13=18,113-18=95"),
            (Found{{"calculation error", 1}, {"target missed", 0}}));
}

TEST(CountdownExplain, NumbersLeftOverAndMalformed) {
  EXPECT_EQ(faults("5,5,3,2,10", "5+5=10"), (Found{{"numbers left over", 0}}));
  EXPECT_EQ(faults("5,5,3,2,10", "5+5"), (Found{{"malformed answer", 1}}));
  EXPECT_EQ(faults("5,5,3,2,10", ""), (Found{{"malformed answer", 1}}));
}

TEST(CountdownReleasedMetric, EvaluatesAsPythonDoes) {
  const auto result = [](const char* text) -> double {
    const auto value = evaluate_python(text);
    if (!value) return -12345;
    return value->is_int ? static_cast<double>(value->integer) : value->real;
  };
  EXPECT_EQ(result("1+2*3"), 7);
  EXPECT_EQ(result("7/2"), 3.5);
  EXPECT_EQ(result("7//2"), 3);
  EXPECT_EQ(result("0-7//2"), -3);
  EXPECT_EQ(result("-7//2"), -4);
  EXPECT_EQ(result("2**3**2"), 512);
  EXPECT_EQ(result("-2**2"), -4);
  EXPECT_EQ(result("2**-1"), 0.5);
  EXPECT_EQ(result("1--2"), 3);
  EXPECT_EQ(result("8-4-2"), 2);
  EXPECT_EQ(result("8/4/2"), 1);
  EXPECT_EQ(result("00+1"), 1);
  EXPECT_TRUE(evaluate_python("7**0")->is_int);
  for (const char* bad : {"", "1+", "1/0", "01+1", "1a", "1***2", "(1)", "1//0", "0**-1"})
    EXPECT_EQ(result(bad), -12345) << bad;
  EXPECT_EQ(result(std::string(100000, '-').c_str()), -12345);
}

TEST(CountdownReleasedMetric, Quirks) {
  const std::string label = "86+28=114,31-13=18,114-18=96";
  EXPECT_TRUE(correct_as_released(label, label));
  EXPECT_TRUE(correct_as_released(label, "90+6=96"));    // numbers are not checked
  EXPECT_TRUE(correct_as_released(label, "1+1*95=96"));  // a chain is evaluated whole
  EXPECT_TRUE(correct_as_released("=24", "4+20=24"));    // Game of 24 labels
  EXPECT_FALSE(correct_as_released(label, "90+6=096"));  // the last result is compared as text
  EXPECT_FALSE(correct_as_released(label, "90+7=96"));
  EXPECT_FALSE(correct_as_released(label, "96=96"));
  EXPECT_FALSE(correct_as_released(label, "+96=96"));
  EXPECT_FALSE(correct_as_released(label, "90+6=96=96"));
  EXPECT_FALSE(correct_as_released(label, "90+6=96,"));
  EXPECT_FALSE(correct_as_released(label, ""));
}

// The released metric compares last results with the label's. A puzzle that a user types has none.
TEST(CountdownReleasedMetric, WithoutALabelTheTargetIsThatOfThePuzzle) {
  const auto task = make_task("countdown-3");
  const Example unlabelled{"38,86,91,43", ""};
  EXPECT_EQ(task->verify(unlabelled, "91-86=5,38+5=43"), (Verdict{true, true}));
  EXPECT_EQ(task->verify(unlabelled, "91-86=5,5*8=40"), (Verdict{false, false}));
}

TEST(CountdownGenerate, TargetsAreHeldOutAndUniform) {
  for (int count = 3; count <= 6; ++count) {
    std::set<Number> train(targets(count, Split::kTrain).begin(),
                           targets(count, Split::kTrain).end());
    EXPECT_EQ(train.size(), 82u);  // 91 targets less nine
    EXPECT_EQ(*train.begin(), 10);
    EXPECT_EQ(*train.rbegin(), 100);
    for (const Number target : targets(count, Split::kTest)) EXPECT_FALSE(train.contains(target));
  }
  std::map<std::string, int> seen;
  const auto task = make_task("countdown-4");
  constexpr int kItems = 3000;
  for (std::uint32_t item = 0; item < kItems; ++item) {
    const Example example = task->generate(3, Split::kTest, item);
    ++seen[example.input.substr(example.input.rfind(',') + 1)];
    ASSERT_EQ(task->verify(example, example.output), (Verdict{true, true})) << example.output;
    ASSERT_EQ(task->solve(example.input), example.output);
  }
  // Uniform over nine targets: mean 333, standard deviation 17.
  EXPECT_EQ(seen.size(), 9u);
  for (const auto& [target, n] : seen) EXPECT_NEAR(n, kItems / 9, 5 * 17.2) << target;
}

TEST(CountdownGenerate, DrawsNumbersUpToTheLargest) {
  const auto task = make_task("countdown-4", {"largest=13"});
  std::set<Number> seen;
  int twenty_four = 0;
  for (std::uint32_t item = 0; item < 3000; ++item) {
    const Example example = task->generate(0, Split::kTrain, item);
    const Problem problem = parse_problem(example.input, 4);
    seen.insert(problem.numbers.begin(), problem.numbers.end());
    twenty_four += problem.target == 24;
    ASSERT_TRUE(task->verify(example, example.output).correct) << example.output;
  }
  EXPECT_EQ(seen.size(), 13u);
  EXPECT_EQ(*seen.rbegin(), 13);
  EXPECT_EQ(twenty_four, 0);  // that is Game of 24
  // The default still has 24, and the smallest choice reaches every target.
  const auto usual = make_task("countdown-4");
  for (std::uint32_t item = 0; item < 1000; ++item)
    twenty_four += usual->generate(0, Split::kTrain, item).input.ends_with(",24");
  EXPECT_GT(twenty_four, 0);
  for (Number target = 10; target <= 100; ++target) {
    bool reached = false;
    for (Number a = 1; a <= 10 && !reached; ++a)
      for (Number b = a; b <= 10 && !reached; ++b)
        for (Number c = b; c <= 10 && !reached; ++c)
          reached = first_solution(std::array{a, b, c}, target).has_value();
    EXPECT_TRUE(reached) << target;
  }
}

TEST(CountdownGenerate, LabelsArePuzzlesOtherSolutions) {
  const auto first = make_task("countdown-4"), any = make_task("countdown-4", {"labels=any"}),
             smallest = make_task("countdown-4", {"labels=smallest"});
  const auto largest = [](std::string_view answer) {
    Number most = 0;
    for (const std::string_view text : split(answer, ','))
      most = std::max(most, parse_equation(text)->z);
    return most;
  };
  int other = 0, smaller = 0;
  for (std::uint32_t item = 0; item < 500; ++item) {
    const Example usual = first->generate(0, Split::kTrain, item);
    const Problem problem = parse_problem(usual.input, 4);
    const Example drawn = any->generate(0, Split::kTrain, item);
    const Example small = smallest->generate(0, Split::kTrain, item);
    EXPECT_EQ(drawn.input, usual.input);
    EXPECT_EQ(small.input, usual.input);
    EXPECT_TRUE(correct(problem, drawn.output)) << drawn.output;
    EXPECT_TRUE(correct(problem, small.output)) << small.output;
    other += drawn.output != usual.output;
    EXPECT_LE(largest(small.output), largest(usual.output));
    EXPECT_LE(largest(small.output), largest(drawn.output));
    smaller += largest(small.output) < largest(usual.output);
  }
  EXPECT_GT(other, 200);
  EXPECT_GT(smaller, 50);
}

TEST(CountdownGenerate, SequencesFitThePapersLengths) {
  const std::map<int, std::size_t> lengths{{3, 37}, {4, 64}, {5, 74}};
  for (const auto& [count, length] : lengths) {
    const auto task = make_task(fmt::format("countdown-{}", count));
    for (std::uint32_t item = 0; item < 300; ++item) {
      const Example example = task->generate(0, Split::kTrain, item);
      EXPECT_LE(example.input.size() + example.output.size() + 2, length);
    }
  }
}

TEST(CountdownSearch, KnowsAGameOf24WithoutThe24) {
  EXPECT_TRUE(lacks_target("4,7,8,8"));
  EXPECT_TRUE(lacks_target("1 5 5 5"));
  EXPECT_FALSE(lacks_target("4 7 8 -> 8"));  // somebody says that it is the target
  EXPECT_FALSE(lacks_target("1,2,3,6"));     // it is the target
  EXPECT_FALSE(lacks_target("4,7,8,80"));
  EXPECT_FALSE(lacks_target("4,7,8,8,24"));
  EXPECT_FALSE(lacks_target("nonsense"));
}

}  // namespace
}  // namespace mgdm::tasks::countdown
