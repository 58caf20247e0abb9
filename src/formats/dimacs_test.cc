#include "formats/dimacs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/error_of.h"

namespace mgdm::formats {
namespace {

using Status = SolverAnswer::Status;

Cnf cnf(int variables, std::vector<std::vector<int>> clauses) {
  Cnf out;
  out.variables = variables;
  for (const auto& clause : clauses) out.add(clause);
  return out;
}

template <class Read>
std::string reading_complaint(Read read, std::string_view text) {
  return error_of([&] { read(text, "f.cnf"); });
}

std::string cnf_complaint(std::string_view text) { return reading_complaint(read_dimacs, text); }
std::string answer_complaint(std::string_view text) {
  return reading_complaint(read_solver_answer, text);
}

TEST(Dimacs, ReadsAPlainFile) {
  EXPECT_EQ(read_dimacs("c hello\np cnf 3 2\n1 -2 3 0\n-1 2 0\n", "f"),
            cnf(3, {{1, -2, 3}, {-1, 2}}));
}

TEST(Dimacs, AByteOrderMarkIsPassedOver) {
  constexpr std::string_view kText = "\xEF\xBB\xBFp cnf 1 1\n1 0\n";
  EXPECT_EQ(read_dimacs(kText, "f"), cnf(1, {{1}}));
  EXPECT_EQ(read_solver_answer("\xEF\xBB\xBFs SATISFIABLE\nv 1 0\n", "f").literals,
            std::vector<int>{1});
}

TEST(Dimacs, TextThatIsNoFileIsNamedByItsLines) {
  const auto read = [](std::string_view text, std::string_view) { return read_dimacs(text); };
  EXPECT_EQ(reading_complaint(read, "p cnf 1 1\n2 0\n").substr(0, 20), "line 2: the literal ");
  EXPECT_EQ(reading_complaint(read, "p cnf\n").substr(0, 23), "cannot read the header ");
}

TEST(Dimacs, ClausesSpanLinesAndShareThem) {
  EXPECT_EQ(read_dimacs("p cnf 3 3\n1\nc in the middle\n  -2\t3 0 -1 2 0\r\n\r\n3 0", "f"),
            cnf(3, {{1, -2, 3}, {-1, 2}, {3}}));
}

TEST(Dimacs, ToleratesTheTrailerOfSatlib) {
  EXPECT_EQ(read_dimacs("c x\np  cnf  2   1 \n 1 2 0\n%\n0\n\n", "f"), cnf(2, {{1, 2}}));
}

TEST(Dimacs, EmptyFormulaAndEmptyClause) {
  EXPECT_EQ(read_dimacs("p cnf 0 0", "f"), cnf(0, {}));
  EXPECT_EQ(read_dimacs("p cnf 1 2\n0\n1 0\n", "f"), cnf(1, {{}, {1}}));
}

TEST(Dimacs, WrittenTextReadsBack) {
  const Cnf formula = cnf(2147483647, {{1, -2147483647}, {}, {2147483647, 5, -7}});
  const std::string text = write_dimacs(formula);
  EXPECT_EQ(text, "p cnf 2147483647 3\n1 -2147483647 0\n0\n2147483647 5 -7 0\n");
  EXPECT_EQ(read_dimacs(text, "f"), formula);
}

TEST(Dimacs, ClausesAreViewsOfOneArray) {
  const Cnf formula = cnf(3, {{1, -2}, {}, {3}});
  EXPECT_EQ(formula.size(), 3u);
  EXPECT_EQ(std::vector(formula[0].begin(), formula[0].end()), (std::vector{1, -2}));
  EXPECT_TRUE(formula[1].empty());
  EXPECT_EQ(formula[2][0], 3);
}

TEST(Dimacs, ComplaintsNameFileLineAndWhatWasExpected) {
  const std::string header = "the header 'p cnf VARIABLES CLAUSES' before the clauses";
  EXPECT_EQ(cnf_complaint(""), "f.cnf:1: no header\n  expected: " + header);
  EXPECT_EQ(cnf_complaint("c only\n\n"), "f.cnf:2: no header\n  expected: " + header);
  EXPECT_EQ(cnf_complaint("c\n1 2 0\n"),
            "f.cnf:2: no header before '1 2 0'\n  expected: " + header);
  EXPECT_EQ(cnf_complaint("p cnf 1 0\np cnf 1 0\n"),
            "f.cnf:2: a second header\n  expected: one header; the first is in line 1");
  EXPECT_EQ(cnf_complaint("p cnf 2 1\n\n1 3 0\n"),
            "f.cnf:3: the literal '3' is out of range\n"
            "  expected: literals from -2 to 2, and 0 at the end");
  EXPECT_EQ(cnf_complaint("p cnf 2 1\n-99999999999999999999 0\n"),
            "f.cnf:2: the literal '-99999999999999999999' is out of range\n"
            "  expected: literals from -2 to 2, and 0 at the end");
  for (const std::string word : {"x", "1.5", "+1", "-", "1-"})
    EXPECT_EQ(cnf_complaint("p cnf 2 1\n" + word + " 0\n"),
              "f.cnf:2: '" + word +
                  "' is not a number\n"
                  "  expected: literals from -2 to 2, and 0 at the end");
  EXPECT_EQ(cnf_complaint("p cnf 2 2\n1 0\n2\n-1\n"),
            "f.cnf:3: the clause that begins here does not end\n  expected: 0 at its end");
  EXPECT_EQ(cnf_complaint("p cnf 2 2\n1 0\n2\n%\n0\n"),
            "f.cnf:3: the clause that begins here does not end\n  expected: 0 at its end");
  EXPECT_EQ(cnf_complaint("c\np cnf 2 2\n1 0\n"),
            "f.cnf:2: the header promises 2 clauses\n  expected: 1, as many as follow");
  EXPECT_EQ(cnf_complaint("p cnf 2 1\n1 0\n2 0\n"),
            "f.cnf:3: more clauses than the header promises\n  expected: 1 clause (line 1)");
}

TEST(Dimacs, BadHeaders) {
  for (const std::string header :
       {"p", "p cnf", "p cnf 3", "p dnf 3 1", "problem cnf 3 1", "p cnf 3 1 7", "p cnf x 1",
        "p cnf -3 1", "p cnf 3 -1", "p cnf 99999999999 1", "p cnf 3 99999999999999999999"})
    EXPECT_EQ(cnf_complaint(header + "\n1 0\n"),
              "f.cnf:1: cannot read the header '" + header +
                  "'\n  expected: 'p cnf VARIABLES CLAUSES', at most 2147483647 each");
}

TEST(Dimacs, AbsurdCountsCostNothing) {
  EXPECT_EQ(cnf_complaint("p cnf 2000000000 2000000000\n2000000000 0\n"),
            "f.cnf:1: the header promises 2000000000 clauses\n  expected: 1, as many as follow");
  EXPECT_LT(read_dimacs("p cnf 2000000000 1\n2000000000 0\n", "f").literals.capacity(), 100u);
}

TEST(SolverAnswer, ReadsStatusAndValues) {
  EXPECT_EQ(read_solver_answer("c x\ns SATISFIABLE\nv 1 -2\nv 3 0\n", "f"),
            (SolverAnswer{Status::kSatisfiable, {1, -2, 3}}));
  EXPECT_EQ(read_solver_answer("v 1 0\r\ns SATISFIABLE\r\n", "f"),
            (SolverAnswer{Status::kSatisfiable, {1}}));
  EXPECT_EQ(read_solver_answer("s UNSATISFIABLE", "f"), (SolverAnswer{Status::kUnsatisfiable, {}}));
  EXPECT_EQ(read_solver_answer("s UNKNOWN\n", "f"), (SolverAnswer{Status::kUnknown, {}}));
  EXPECT_EQ(read_solver_answer("s SATISFIABLE\n", "f"), (SolverAnswer{Status::kSatisfiable, {}}));
}

TEST(SolverAnswer, ValuesAloneSaySatisfiable) {
  EXPECT_EQ(read_solver_answer("v 1 -2 0", "f"), (SolverAnswer{Status::kSatisfiable, {1, -2}}));
}

TEST(SolverAnswer, Complaints) {
  EXPECT_EQ(answer_complaint("c\n"),
            "f.cnf:1: no answer\n"
            "  expected: 's SATISFIABLE', 's UNSATISFIABLE' or 's UNKNOWN'");
  EXPECT_EQ(answer_complaint("s MAYBE"),
            "f.cnf:1: unknown status 'MAYBE'\n"
            "  expected: SATISFIABLE, UNSATISFIABLE or UNKNOWN");
  EXPECT_EQ(answer_complaint("s UNKNOWN\ns UNKNOWN\n"),
            "f.cnf:2: a second 's' line\n  expected: one");
  EXPECT_EQ(answer_complaint("s SATISFIABLE\nv 1 2\n"),
            "f.cnf:2: the values do not end\n  expected: 0 after the last value");
  EXPECT_EQ(answer_complaint("v 1 0\nv 2 0\n"),
            "f.cnf:2: '2' after the closing 0\n  expected: nothing");
  EXPECT_EQ(answer_complaint("v 1 two 0\n"),
            "f.cnf:1: 'two' is not a number\n"
            "  expected: literals from -2147483647 to 2147483647, and 0 at the end");
  EXPECT_EQ(answer_complaint("s UNSATISFIABLE\nv 1 0\n"),
            "f.cnf:2: values without a solution\n  expected: 'v' lines only after 's SATISFIABLE'");
  EXPECT_EQ(answer_complaint("SAT\n1 2 0\n"), "");  // MiniSat's
  EXPECT_EQ(answer_complaint("SATISFIED\n1 2 0\n"),
            "f.cnf:1: cannot read 'SATISFIED'\n"
            "  expected: a line of a solver's answer: 's STATUS', 'v LITERALS' or 'c COMMENT'");
}

}  // namespace
}  // namespace mgdm::formats
