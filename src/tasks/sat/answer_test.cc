#include "tasks/sat/answer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/error_of.h"

namespace mgdm::tasks::sat {
namespace {

using Literals = std::vector<int>;

template <class... Arguments>
std::string answer_complaint(const Arguments&... arguments) {
  return error_of([&] { parse_answer(arguments...); });
}

TEST(Answer, Characters) {
  EXPECT_EQ(parse_answer("1,c,3,4,5,6,h", Notation::of(7)), (Literals{1, -2, 3, 4, 5, 6, -7}));
  EXPECT_EQ(render_answer(Literals{1, -2, 3, 4, 5, 6, -7}, Notation::of(7)), "1,c,3,4,5,6,h");
  EXPECT_EQ(render_answer(Literals{-1, 2, -3, 4, -5}, Notation::of(5)), "6,2,8,4,0");
  // What the literals say together is for the judge.
  EXPECT_EQ(parse_answer("3,3,d", Notation::of(7)), (Literals{3, 3, -3}));
}

TEST(Answer, Integers) {
  for (const char* text : {"1,-2,30", "1 -2 30", " 1, -2,\t30 \r\n", "1 -2 30 0",
                           "v 1 -2\nv 30 0\n", "c hi\ns SATISFIABLE\nv 1 -2 30 0\n"})
    EXPECT_EQ(parse_answer(text), (Literals{1, -2, 30})) << text;
  EXPECT_EQ(parse_answer(""), Literals{});
  EXPECT_EQ(render_answer(Literals{1, -2, 30}), "1,-2,30");
}

TEST(Answer, Complaints) {
  const std::string characters =
      "\n  expected: 6 literals (1..6, or b..g for their negations) joined by ','";
  const Notation& six = Notation::of(6);
  EXPECT_EQ(answer_complaint("", six), "the answer is empty" + characters);
  EXPECT_EQ(answer_complaint("1,2,x", six),
            "piece 3 of the answer, 'x', is no literal" + characters);
  EXPECT_EQ(answer_complaint("1,2,", six), "piece 3 of the answer, '', is no literal" + characters);
  EXPECT_EQ(answer_complaint("1 2", six),
            "piece 1 of the answer, '1 2', is no literal" + characters);
  EXPECT_EQ(answer_complaint("6", Notation::of(5)), "");
  EXPECT_EQ(answer_complaint("b", Notation::of(5)),
            "piece 1 of the answer, 'b', is no literal\n"
            "  expected: 5 literals (1..5, or 6 7 8 9 0 for their negations) joined by ','");

  const std::string integers =
      "\n  expected: signed integers separated by ',' or spaces, such as 1,-2,3";
  EXPECT_EQ(answer_complaint("1 two"), "piece 2 of the answer, 'two', is no literal" + integers);
  EXPECT_EQ(answer_complaint("1 0 2"), "piece 2 of the answer, '2', is no literal" + integers);
  EXPECT_EQ(answer_complaint("-2147483648"),
            "piece 1 of the answer, '-2147483648', is no literal" + integers);
  EXPECT_EQ(answer_complaint("9999999999999999999"),
            "piece 1 of the answer, '9999999999999999999', is no literal" + integers);
  EXPECT_EQ(answer_complaint("-9223372036854775808"),
            "piece 1 of the answer, '-9223372036854775808', is no literal" + integers);
  EXPECT_EQ(answer_complaint("s UNSATISFIABLE"),
            "the answer claims unsatisfiable\n  expected: the literals that are true");
  EXPECT_EQ(answer_complaint("s UNKNOWN"),
            "the answer gives up\n  expected: the literals that are true");
  EXPECT_EQ(answer_complaint("v 1"), "the values do not end\n  expected: 0 after the last value");
}

TEST(Assignment, ValuesInAnyOrderAndWithGaps) {
  const Assignment assignment(Literals{2000000000, -3, 1});
  EXPECT_EQ(assignment.value(1), 1);
  EXPECT_EQ(assignment.value(2), 0);
  EXPECT_EQ(assignment.value(3), -1);
  EXPECT_EQ(assignment.value(4), 0);
  EXPECT_EQ(assignment.value(2000000000), 1);
  EXPECT_EQ(assignment.value(2147483647), 0);
  EXPECT_TRUE(assignment.repeated().empty());
  EXPECT_TRUE(assignment.satisfies(Literals{2, -3}));
  EXPECT_FALSE(assignment.satisfies(Literals{2, 3, -1}));
  EXPECT_FALSE(assignment.satisfies(Literals{}));
  EXPECT_EQ(Assignment(Literals{}).value(1), 0);
}

TEST(Assignment, TheFirstOfRepeatedLiteralsCounts) {
  const Assignment assignment(Literals{-2, 2, 1, 2, 3, 3});
  EXPECT_EQ(assignment.repeated(), (Literals{2, 3}));
  EXPECT_EQ(assignment.value(1), 1);
  EXPECT_EQ(assignment.value(2), -1);
  EXPECT_EQ(assignment.value(3), 1);
}

}  // namespace
}  // namespace mgdm::tasks::sat
