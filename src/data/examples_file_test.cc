#include "data/examples_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "support/error_of.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {
namespace {

class ExamplesFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::vector<LocatedExample> read(const std::string& text, const std::string& task) {
    write_file(path_, text);
    return read_examples(path_, *tasks::make_task(task));
  }
  const std::string path_ = std::filesystem::temp_directory_path() /
                            ("mgdm_examples_" + std::to_string(::getpid()) + ".whatever");
};

TEST_F(ExamplesFile, FormulasMayBeginWithComments) {
  EXPECT_THROW(read("c a solver\ns SATISFIABLE\nv 1 -2 0\n", "sat"), Error);  // it is no formula
  EXPECT_EQ(read("c a formula\nc\n\np cnf 2 1\n1 2 0\n", "sat").size(), 1u);
  EXPECT_THROW(read("c nothing but a comment\n", "sat"), Error);
}

TEST_F(ExamplesFile, AByteOrderMarkHidesNoFormat) {
  EXPECT_EQ(read("\xEF\xBB\xBFp cnf 2 1\n1 2 0\n", "sat").size(), 1u);
  EXPECT_EQ(read("\xEF\xBB\xBF{\"input\": \"1,2,3,6\"}\n", "countdown-3").size(), 1u);
}

TEST_F(ExamplesFile, NamesMayBeOnesOwn) {
  write_file(path_, "{\"mine\": \"1,2,3,6\", \"yours\": \"1+2=3,3+3=6\"}\n");
  const auto task = tasks::make_task("countdown-3");
  const formats::Keys keys = formats::keys_of("mine=yours");
  EXPECT_EQ(read_examples(path_, *task, keys).at(0).example,
            (tasks::Example{"1,2,3,6", "1+2=3,3+3=6"}));
  EXPECT_THROW(read_examples(path_, *task), Error);
}

TEST_F(ExamplesFile, RecognisesFormatsByContent) {
  const std::string puzzle(80, '0'), solution(81, '1');
  auto examples = read("\n{\"input\": \"1,2,3,6\", \"output\": \"x\"}\n", "countdown-3");
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].example, (tasks::Example{"1,2,3,6", "x"}));
  EXPECT_EQ(examples[0].line, 2u);
  examples = read("quizzes,solutions\n" + puzzle + "5," + solution + "\n", "sudoku");
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].example, (tasks::Example{puzzle + "5", solution}));
  EXPECT_EQ(examples[0].line, 2u);
  examples = read("# hard ones\n" + std::string(80, '.') + "5\n", "sudoku");
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].example, (tasks::Example{puzzle + "5", ""}));
  std::string rows;
  for (int row = 0; row < 8; ++row) rows += "[0,0,0,0,0,0,0,0,null],";
  for (const std::string& text :
       {"{\"puzzle\": \"" + puzzle + "5\", \"solution\": \"x\", \"rating\": 2}\n",
        "{\"question\": \"" + puzzle + "5\", \"answer\": \"x\"}\n",
        "{\"puzzle\": [" + rows + "[0,0,0,0,0,0,0,0,5]], \"solution\": \"x\"}\n"}) {
    examples = read(text, "sudoku");
    ASSERT_EQ(examples.size(), 1u);
    EXPECT_EQ(examples[0].example, (tasks::Example{puzzle + "5", "x"}));
  }
  examples = read("# easy ones\n1,2,3,6\n\n# others\n4,5,6,26\n", "countdown-3");
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[1].line, 5u);
  examples = read("{\"input\": \"1,2,3,6\", \"solution\": \"of a model\"}\n", "countdown-3");
  EXPECT_EQ(examples.at(0).example.output, "");
  examples = read("id,question,answer\n1," + puzzle + "5," + solution + "\n", "sudoku");
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].example, (tasks::Example{puzzle + "5", solution}));
  std::string grid = "Grid 01\n";
  for (int row = 0; row < 9; ++row) grid += row < 8 ? "_________\n" : "________5\n";
  examples = read(grid, "sudoku");
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].example, (tasks::Example{puzzle + "5", ""}));
  EXPECT_EQ(examples[0].line, 2u);
  examples = read("c a comment\np cnf 2 1\n1 -2 0\n", "sat");
  ASSERT_EQ(examples.size(), 1u);
  examples = read("1,2,3,6\n\n2,2,2,8\n", "countdown-3");
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[1].line, 3u);
}

TEST_F(ExamplesFile, ComplaintsNameTheLine) {
  const auto complaint = [&](const std::string& text, const std::string& task) -> std::string {
    return error_of([&] { read(text, task); });
  };
  const auto names_line = [&](const std::string& text, int line) {
    return text.find(path_ + ":" + std::to_string(line) + ": ") != std::string::npos;
  };
  EXPECT_TRUE(
      names_line(complaint("{\"input\": \"1,2,3,6\"}\n{\"input\": \"1\"}\n", "countdown-3"), 2));
  EXPECT_TRUE(names_line(complaint("quizzes,solutions\n123,456\n", "sudoku"), 2));
  EXPECT_TRUE(names_line(complaint("p cnf 2 1\n1 x 0\n", "sat"), 2));
  // Each place once: the file's line, then the line of what stands there.
  EXPECT_EQ(
      complaint("{\"input\": \"p cnf 2 1\\n1 x 0\"}\n", "sat").find(path_ + ":1: line 2: 'x'"), 0u);
  EXPECT_EQ(complaint("# p cnf 2 1\n1 2 0\n", "sat").find(path_ + ":2: '1 2 0' is not"), 0u);
  EXPECT_EQ(complaint("p cnf 5 2\n1 2 3 0\n1 2 3 4 0\n", "sat-5").find(path_ + ": clause 2 "), 0u);
  EXPECT_NE(complaint("", "sudoku").find("no puzzle"), std::string::npos);
}

TEST_F(ExamplesFile, ReadsOnPastBadLinesForThoseWhoAreTold) {
  std::vector<std::string> bad;
  const auto lines = [&](const std::string& text, const std::string& task) {
    write_file(path_, text);
    bad.clear();
    std::vector<std::size_t> good;
    for_each_example(
        path_, *tasks::make_task(task),
        [&](LocatedExample&& example) { good.push_back(example.line); },
        [&](const Error& error) { bad.emplace_back(error.what()); });
    for (const std::string& words : bad) EXPECT_TRUE(words.starts_with(path_ + ":")) << words;
    return good;
  };
  using Lines = std::vector<std::size_t>;
  const std::string good = "{\"input\": \"1,2,3,6\"}\n";
  EXPECT_EQ(lines(good + "{\n{}\n{\"input\": \"1\"}\n" + good, "countdown-3"), (Lines{1, 5}));
  EXPECT_EQ(bad.size(), 3u);
  EXPECT_EQ(lines("1,2,3,6\n1,2\n2, 2, 2, 8\n", "countdown-3"), (Lines{1, 3}));
  EXPECT_EQ(bad.size(), 1u);
  const std::string grid(81, '0'), solution(81, '1');
  EXPECT_EQ(lines(grid + "\n12\n" + grid + "\n", "sudoku"), (Lines{1, 3}));
  EXPECT_EQ(bad.size(), 1u);
  const std::string row = grid + "," + solution + "\n";
  EXPECT_EQ(lines("quizzes,solutions\n1,2\n" + row + grid + "\n" + row, "sudoku"), (Lines{3, 5}));
  EXPECT_EQ(bad.size(), 2u);
  EXPECT_EQ(lines("1,2\n", "countdown-3"), Lines{});  // told: no second complaint
  EXPECT_EQ(bad.size(), 1u);
  EXPECT_THROW(lines("p cnf 2 1\n1 x 0\n", "sat"), Error);  // the file is one puzzle
  EXPECT_THROW(lines("", "countdown-3"), Error);
}

TEST_F(ExamplesFile, FormulasAreRecognisedByTheirFirstLine) {
  const auto kind = [&](const std::string& text) {
    write_file(path_, text);
    return file_kind(path_);
  };
  for (const char* text :
       {"p cnf 5 1\n1 2 3 0\n", "\n  c a comment\n", "c\np cnf 1 0\n", "p\tcnf 1 0"})
    EXPECT_EQ(kind(text), FileKind::kDimacs) << text;
  for (const char* text : {"s UNKNOWN\n", "c a\nv 1 0\n", "SAT\n1 0\n", "UNSAT\n"})
    EXPECT_EQ(kind(text), FileKind::kSolverAnswer) << text;
  // The paper's notation, other puzzles.
  for (const char* text : {"", "c,d,h/2,e,h", "0,1/1,2-0,2", "{\"input\": \"p cnf\"}"})
    EXPECT_EQ(kind(text), FileKind::kRecords) << text;
}

TEST_F(ExamplesFile, AFolderIsItsFiles) {
  std::filesystem::create_directory(path_);
  write_file(path_ + "/b.txt", "4,5,6,26\n");
  write_file(path_ + "/a.jsonl", "{\"nums\": [1, 2, 3], \"target\": 6}\n{}\n");
  write_file(path_ + "/.hidden", "7,8,9,10\n");
  std::vector<std::string> bad;
  const auto examples = read_examples(path_, *tasks::make_task("countdown-3"), formats::keys_of(""),
                                      [&](const Error& error) { bad.push_back(error.seen()); });
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].example.input, "1,2,3,6");
  EXPECT_EQ(examples[1].example.input, "4,5,6,26");
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_TRUE(bad[0].starts_with(path_ + "/a.jsonl:2: ")) << bad[0];
  std::filesystem::remove_all(path_);
}

}  // namespace
}  // namespace mgdm::data
