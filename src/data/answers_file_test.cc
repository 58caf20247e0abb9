#include "data/answers_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {
namespace {

class AnswersFile : public testing::Test {
 protected:
  using Answers = std::vector<std::string>;

  void TearDown() override { std::filesystem::remove(path_); }
  std::vector<LocatedAnswer> read(const std::string& text, const std::string& task) {
    write_file(path_, text);
    return read_answers(path_, *tasks::make_task(task));
  }
  Answers answers(const std::string& text, const std::string& task) {
    Answers found;
    for (const LocatedAnswer& answer : read(text, task)) found.push_back(answer.answer);
    return found;
  }

  const std::string path_ = std::filesystem::temp_directory_path() /
                            ("mgdm_answers_" + std::to_string(::getpid()) + ".whatever");
};

TEST_F(AnswersFile, ReadsLinesOfJson) {
  // Files of `eval`, of a language model, of `solve --json`.
  EXPECT_EQ(answers("{\"input\": \"1,2\", \"output\": \"1+2=3\"}\n{\"predict\": \"x\"}\n"
                    "{\"input\":\"1\",\"solution\":\"y\",\"verified\":true}\n",
                    "countdown-3"),
            (Answers{"1+2=3", "x", "y"}));
  EXPECT_EQ(answers("{\"error\":\"no puzzle\"}\n", "countdown-3"), Answers{""});
  EXPECT_THROW(answers("{\"passes\":\"2\"}\n", "countdown-3"), Error);
  EXPECT_EQ(answers("{\"solution\": [\"1+2=3\", \"3*4=12\"]}\n", "countdown-3"),
            Answers{"1+2=3,3*4=12"});
}

TEST_F(AnswersFile, ReadsPlainLines) {
  // The output of `solve --quiet`: a puzzle that could not be read keeps its place.
  EXPECT_EQ(answers("8,2/2,0\n\n1,2\n", "planning"), (Answers{"8,2/2,0", "", "1,2"}));
  EXPECT_EQ(answers("1,2\n", "countdown-3"), Answers{"1,2"});
  EXPECT_EQ(answers("\n\n", "planning"), (Answers{"", ""}));
  EXPECT_EQ(answers("", "planning"), Answers{});
}

TEST_F(AnswersFile, ReadsTheColumnThatTheFirstLineNames) {
  // The output of `solve --csv`: a puzzle that could not be read has an empty answer.
  EXPECT_EQ(answers("input,solution,verified,explanation\n\"1,2\",\"1+2=3,3*4=12\",yes,\n"
                    ",,no,\"it says \"\"x\"\",\n  expected: a puzzle\"\n\n# and\n1,2,no,\r\n",
                    "countdown-3"),
            (Answers{"1+2=3,3*4=12", "", "2"}));
  EXPECT_EQ(
      answers("input\tsolution\n1,2\t \"1+2=3\" \n# it's a \"comment\n3,4\t3+4=7\n", "countdown-3"),
      (Answers{"1+2=3", "3+4=7"}));
  EXPECT_EQ(answers("Input;Answers\n1,2;1+2=3,3*4=12\n", "countdown-3"), Answers{"1+2=3,3*4=12"});
  EXPECT_EQ(answers("input\tOUTPUT\n1,2\t3\n", "countdown-3"), Answers{"3"});
  EXPECT_EQ(answers("output\n\"1,2\"\n3\n", "countdown-3"), (Answers{"1,2", "3"}));
  EXPECT_THROW(answers("input,solution\n1,\"2\n", "countdown-3"), Error);
  EXPECT_THROW(answers("input,solution\n1,2,3\n", "countdown-3"), Error);
}

TEST_F(AnswersFile, TakesNoLabelForAnAnswer) {
  EXPECT_EQ(answers("question,answer,predict\n1,2,3\n", "countdown-3"), Answers{"3"});
  EXPECT_EQ(answers("{\"output\": \"2\", \"predict\": \"3\"}\n", "countdown-3"), Answers{"3"});
  EXPECT_EQ(answers("{\"output\": \"2\", \"answer\": \"2\"}\n", "countdown-3"), Answers{"2"});
  EXPECT_THROW(answers("{\"output\": \"2\", \"answer\": \"3\"}\n", "countdown-3"), Error);
  EXPECT_THROW(answers("puzzle,solution,answer\n1,2,3\n", "countdown-3"), Error);
}

TEST_F(AnswersFile, SaysWhichPuzzleAnAnswerIsTo) {
  for (const char* const text :
       {"{\"puzzle\": \"4\", \"solution\": \"5\"}\n{\"answer\": \"6\"}\n",
        "puzzle,answer\n4,5\n,6\n", "id,Question,solutions\n1,4,5\n2,,6\n"}) {
    const auto found = read(text, "countdown-3");
    ASSERT_EQ(found.size(), 2u) << text;
    EXPECT_EQ(found[0].input, "4");
    EXPECT_EQ(found[0].answer, "5");
    EXPECT_EQ(found[1].input, "");
    EXPECT_EQ(found[1].answer, "6");
  }
}

TEST_F(AnswersFile, ReadsSudokus) {
  const std::string puzzle(81, '0'), solution(81, '1');
  EXPECT_EQ(answers(solution + "\n", "sudoku"), Answers{solution});
  for (const char* const before : {"", "\n# answers\n"})
    EXPECT_EQ(
        answers(before + ("id,puzzle,solution\n1," + puzzle) + "," + solution + "\n", "sudoku"),
        Answers{solution});
  EXPECT_EQ(answers(puzzle + "," + solution + "\n", "sudoku"), Answers{solution});
  EXPECT_EQ(answers("id,grid\n1," + solution + "\n", "sudoku"), Answers{solution});
  EXPECT_EQ(answers("puzzle,result\n" + puzzle + "," + solution + "\n", "sudoku"),
            Answers{solution});
  // A puzzle is no answer of its own.
  EXPECT_THROW(answers("id,grid\n1," + puzzle + "\n", "sudoku"), Error);
}

TEST_F(AnswersFile, ReadsWhatASolverPrints) {
  const std::string text = "c a solver\nc\n\nc verified, 20 passes\ns SATISFIABLE\nv 1 -2 0\n";
  EXPECT_EQ(answers(text, "sat"), Answers{text});
  EXPECT_EQ(answers("c done\ns SATISFIABLE\nv 1 3 -2\nv 5 -4 0\n", "sat-5"), Answers{"1,7,3,9,5"});
  EXPECT_EQ(answers("SAT\n1 3 -2 5 -4 0\n", "sat-5"), Answers{"1,7,3,9,5"});  // MiniSat's file
  EXPECT_EQ(answers("UNSAT\n", "sat"), Answers{"UNSAT\n"});
  EXPECT_THROW(answers("UNSAT\n", "sat-5"), Error);
  EXPECT_THROW(answers("s UNSATISFIABLE\n", "sat-5"), Error);
  EXPECT_EQ(answers("s UNSATISFIABLE\n", "sat").size(), 1u);
  EXPECT_THROW(answers("p cnf 1 1\n1 0\n", "sat"), Error);
}

}  // namespace
}  // namespace mgdm::data
