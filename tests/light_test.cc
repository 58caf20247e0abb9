// The program without LibTorch beside the full one.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Light : public Program {
 protected:
  Outcome light(const std::string& arguments) const {
    return mgdm(arguments, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", "/dev/null",
                MGDM_LIGHT_PROGRAM);
  }
  Outcome alone(const std::string& arguments) const {
    return mgdm(arguments, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", "/dev/null", lone_program());
  }
};

TEST_F(Light, HasTheSameHelp) {
  EXPECT_EQ(light("--help").out, full_mgdm("--help").out);
  for (const std::string command :
       {"solve", "eval", "generate", "demo", "export", "train", "launch", "bench"})
    EXPECT_EQ(light(command + " --help").out, full_mgdm(command + " --help").out);
  EXPECT_MENTIONS(light("train --help").out, "objective.beta");  // what a recipe can say
  EXPECT_EQ(light("bench").out, full_mgdm("bench").out);
}

TEST_F(Light, HasTheSameErrorsWithoutBeingAbleToTrain) {
  for (const std::string words : {"train", "train --nosuch", "launch -n 0 -- train x",
                                  "bench trian", "bench train --turns many"}) {
    const Outcome outcome = light(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.err, full_mgdm(words).err) << words;
  }
}

TEST_F(Light, LooksAtTheRecipeBeforeItSaysHowToTrain) {
  for (const std::string words :
       {"train nosuch.toml",
        "train '" MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml' model.hieght=3"}) {
    const Outcome outcome = light(words);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_EQ(outcome.err, full_mgdm(words).err) << words;
    EXPECT_EQ(outcome.err.find("LibTorch"), std::string::npos) << outcome.err;
  }
}

TEST_F(Light, SaysHowToTrain) {
  for (const std::string words : {"train '" MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml' --out x",
                                  "launch -n 2 -- train x", "bench signature"}) {
    const Outcome outcome = alone(words);
    EXPECT_EQ(outcome.code, 1) << words;
    EXPECT_MENTIONS(outcome.err, "needs LibTorch");
    EXPECT_MENTIONS(outcome.err, "mgdm-train");
  }
  const Outcome outcome = alone("solve --model quick-planning-mgdm --device cuda '1,2'");
  EXPECT_EQ(outcome.code, 1);
  const bool driver = ::dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
  EXPECT_MENTIONS(outcome.err, driver ? "needs LibTorch" : "no NVIDIA driver is installed here");
}

TEST_F(Light, DemonstratesEveryTaskThatHasAModelAndComparesThePair) {
  const Outcome outcome = light("demo --count 20");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* task :
       {"\nplanning: ", "\ncountdown-3: ", "\ncountdown-5: ", "\nsudoku: ", "\nsat-9: "})
    EXPECT_MENTIONS(outcome.out, task);
  EXPECT_MENTIONS(outcome.out, "pass 10");  // of Sudoku, drawn
  EXPECT_MENTIONS(outcome.out, "------+-------+------");
  EXPECT_MENTIONS(outcome.out, "verified: right in 10 passes");
  EXPECT_MENTIONS(outcome.out, "| quick-planning-ar   | left to right |");
  EXPECT_MENTIONS(outcome.out, "| quick-planning-mgdm | by diffusion  |     100 |");
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);  // not a terminal
  EXPECT_MENTIONS(outcome.out, "Try:\n  mgdm eval --model sat-9\n  mgdm generate sat-9 ");
}

TEST_F(Light, ShowsTheModelsOfAnotherShelf) {
  fs::create_directories(folder_ / "shelf");
  fs::copy(MGDM_SOURCE_DIR "/models/quick-planning-mgdm", folder_ / "shelf/mi\x1bne");
  fs::create_directories(folder_ / "shelf/broken");
  write_file(folder_ / "shelf/broken/config.json", "{");
  // From a folder without models/ of its own.
  const Outcome outcome = mgdm("demo --quiet", "cd '" + folder_.string() + "' && MGDM_MODELS=shelf",
                               "/dev/null", MGDM_LIGHT_PROGRAM);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_MENTIONS(outcome.out, "(mi\\x1bne, 406.3k parameters)");
  EXPECT_EQ(outcome.out.find("countdown"), std::string::npos);
}

TEST_F(Light, SaysWhenSymmetriesVoted) {
  const std::string data = path("data.jsonl"), json = path("score.json");
  ASSERT_EQ(light("generate planning --nodes 4 --count 6 --split test --out " + data).code, 0);
  const std::string eval = "eval --model quick-planning-mgdm --steps 2 --data " + data;
  const Outcome voted = light(eval + " --symmetries 3 --json " + json);
  ASSERT_EQ(voted.code, 0) << voted.err;
  EXPECT_MENTIONS(voted.out, "forward passes per puzzle 6.0");
  EXPECT_MENTIONS(voted.out, "a vote over 3 symmetries");
  EXPECT_MENTIONS(read_file(json), "\"symmetries\": 3");
  EXPECT_EQ(light(eval).out.find("symmetries"), std::string::npos);
  const Outcome both = light(eval + " --symmetries 3 --tries 2");
  EXPECT_EQ(both.code, 2);
  EXPECT_MENTIONS(both.err, "3 symmetries and 2 tries");
}

TEST_F(Light, SolveSaysHowManyFormsAgreed) {
  const Outcome few = light("solve --symmetries 256 4,5,15,24");
  EXPECT_MENTIONS(few.err, " of 6 forms (256 asked)\n");
  const Outcome shown = light("solve --symmetries 3 --show 4,5,15,24");
  EXPECT_MENTIONS(shown.err, "the puzzle as it is; its other forms, up to 2, are decoded unseen\n");
  EXPECT_MENTIONS(shown.err, " of 3 forms\n");
  const Outcome json = light("solve --symmetries 3 --json 5,5,15,25");
  EXPECT_MENTIONS(json.out, ",\"symmetries\":3,\"forms\":3,\"agreed\":");
  const Outcome one = light("solve --json 4,5,15,24");
  EXPECT_EQ(one.out.find("symmetries"), std::string::npos);
  EXPECT_EQ(light("solve --show 4,5,15,24").err.find("form"), std::string::npos);
}

TEST_F(Light, SolvesWhatComesThroughAPipeInOrder) {
  ASSERT_EQ(mgdm("generate planning --nodes 4 --count 300 --out " + path("puzzles")).code, 0);
  const std::string solve = "solve --model quick-planning-mgdm --json --input ";
  const Outcome file = light(solve + path("puzzles"));
  const std::string fill = "mkfifo '" + path("pipe") + "'; cat '" + path("puzzles") + "' >'" +
                           path("pipe") + "' & MGDM_MODELS='" MGDM_SOURCE_DIR "/models'";
  EXPECT_EQ(mgdm(solve + path("pipe"), fill, "/dev/null", MGDM_LIGHT_PROGRAM).out, file.out);
  const std::vector<std::string_view> answers = split(file.out, '\n');
  const std::string puzzles = read_file(folder_ / "puzzles");
  ASSERT_EQ(answers.size(), 301u) << file.err;
  std::size_t at = 0;
  for (const std::string_view puzzle : split(puzzles, '\n')) {
    const std::string_view input = puzzle.substr(0, puzzle.find("\", \"output"));
    EXPECT_EQ(answers[at].substr(0, input.size() - 1).substr(9), input.substr(10)) << at;
    if (++at == 300) break;
  }
}

// Puzzles as they are typed, without --input; what became of them; what else one may try.
TEST_F(Light, SolvesWhatPeopleType) {
  const Outcome typed = light("solve 4 5 15 24");
  EXPECT_EQ(typed.out, light("solve 4,5,15,24").out);
  EXPECT_EQ(light("solve '4 5 15 -> 24'").out, typed.out);
  EXPECT_EQ(typed.err.find("puzzles:"), std::string::npos);
  write_file(path("typed"), "4 5 15 24\n1,1,1,90\n");
  const Outcome sent =
      mgdm("solve", "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", path("typed"), MGDM_LIGHT_PROGRAM);
  EXPECT_EQ(sent.code, 1);
  EXPECT_EQ(sent.out.substr(0, typed.out.size()), typed.out);
  EXPECT_MENTIONS(sent.err, "2 puzzles: 1 verified, 1 wrong\n");
  EXPECT_EQ(sent.err.find("--tries"), std::string::npos);  // no try would be right
  EXPECT_MENTIONS(light("solve --json 1,1,1,90").out, "\"solvable\":false}");
  const Outcome rows = mgdm("solve --csv", "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'",
                            path("typed"), MGDM_LIGHT_PROGRAM);
  const std::vector<std::string_view> lines = split(rows.out, '\n');
  ASSERT_EQ(lines.size(), 4u) << rows.out;
  EXPECT_EQ(lines[0], "input,solution,verified,explanation,right,passes");
  EXPECT_EQ(lines[1].substr(0, 12), "\"4,5,15,24\",");
  EXPECT_MENTIONS(std::string(lines[1]), ",yes,,,");
  EXPECT_MENTIONS(std::string(lines[2]), ",no,");
  EXPECT_MENTIONS(std::string(lines[2]), ",no solution in whole numbers,");
  EXPECT_MENTIONS(light("solve --csv --json 4,5,15,24").err, "--json and --csv");
  EXPECT_MENTIONS(light("solve").err, "no puzzle to solve");
  EXPECT_MENTIONS(light("solve " + path("typed")).err, "--input " + path("typed"));
  EXPECT_MENTIONS(light("solve " + std::string(300, 'x')).err, "no model at hand takes the puzzle");
  const std::string many =
      ".....6....59.....82....8....45........3........6..3.54...325..6..................";
  EXPECT_MENTIONS(light("solve " + many).err, "the puzzle has other solutions, too\n");
}

TEST_F(Light, GoesOnAfterAPuzzleThatIsNone) {
  const std::string planning = "solve --quiet --model quick-planning-mgdm ";
  const std::string puzzle = "7,1/4,0/6,2/0,6/5,7/4,5-4,1", answer = "4,5/5,7/7,1\n";
  ASSERT_EQ(light(planning + puzzle).out, answer);
  write_file(path("bad.jsonl"), "{\"input\": \"" + puzzle + "\"}\n{\"input\": \"?\"}\n{\n{}\n" +
                                    "{\"input\": \"" + puzzle + "\"}\n");
  for (const std::string show : {"", "--show "}) {
    const Outcome bad =
        light("solve --model quick-planning-mgdm " + show + "--input " + path("bad.jsonl"));
    EXPECT_EQ(bad.code, 1);
    EXPECT_EQ(bad.out.substr(bad.out.size() - answer.size()), answer);
    const std::size_t first = bad.err.find("verified, "), second = bad.err.rfind("verified, ");
    std::size_t at = first;
    for (const char* line : {":2: ", ":3: ", ":4: "}) {
      EXPECT_LT(at, bad.err.find(line)) << bad.err;
      at = bad.err.find(line);
    }
    EXPECT_LT(at, second) << bad.err;
    EXPECT_MENTIONS(bad.err, "3 of 5 puzzles could not be read\n");
  }
  const Outcome words = light(planning + "what '" + puzzle + "'");
  EXPECT_EQ(words.code, 1);
  EXPECT_EQ(words.out, "\n" + answer);  // its place is kept
  EXPECT_MENTIONS(words.err, "puzzle 1: 'what' is not a planning puzzle");
  EXPECT_EQ(words.err.find("could not be read"), std::string::npos);
  // Sudoku lines, and a puzzle for which the model has no room.
  const std::string grid =
      "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
  write_file(path("lines.txt"), grid + "\n" + grid.substr(1) + "\n" + grid + "\n");
  const Outcome lines = light("solve --quiet --input " + path("lines.txt"));
  EXPECT_EQ(lines.code, 1);
  EXPECT_EQ(lines.out.size(), 165u);
  EXPECT_MENTIONS(lines.err, "lines.txt:2: no model at hand takes the puzzle");
  write_file(path("junk.txt"), grid + "\nthis\nthat\nwhat\n");
  const Outcome junk = light("solve --quiet --input " + path("junk.txt"));
  EXPECT_MENTIONS(junk.err, "junk.txt:4: no model at hand takes the puzzle 'what'\n");
  EXPECT_MENTIONS(junk.err, "expected:");
  EXPECT_EQ(junk.err.find("expected:"), junk.err.rfind("expected:")) << junk.err;
  std::string column;
  for (int i = 0; i < 81; ++i) column += "1\n";
  write_file(path("column.txt"), column);
  const Outcome flood = light("solve --quiet --model sudoku --input " + path("column.txt"));
  EXPECT_EQ(flood.out, std::string(81, '\n'));
  EXPECT_MENTIONS(flood.err, "column.txt:5: no puzzle in '1'\nmgdm: and 76 more");
  std::string large = "0,1";
  for (int i = 1; i < 19; ++i) large += "/" + std::to_string(i) + "," + std::to_string(i + 1);
  write_file(path("large.txt"), large + "-0,19\n" + puzzle + "\n");
  const Outcome room = light(planning + "--input " + path("large.txt"));
  EXPECT_EQ(room.code, 1);
  EXPECT_EQ(room.out, "\n" + answer);
  EXPECT_MENTIONS(room.err, "large.txt:1: the puzzle ");
}

TEST_F(Light, EachPuzzleIsAnsweredByTheModelThatFitsIt) {
  const Outcome words = light("solve --json nonsense 4,5,15,24");
  EXPECT_EQ(words.code, 1);
  EXPECT_EQ(words.out.find("{\"error\":\"puzzle 1: no model at hand takes the puzzle"), 0u)
      << words.out;
  EXPECT_MENTIONS(words.out, "\n{\"input\":\"4,5,15,24\"");
  const std::string sudoku =
      "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
  write_file(path("several.txt"), "4,5,15,24\n" + sudoku + "\n" + sudoku +
                                      "\nwhat\n{\"nums\": [4, 5, 15], \"target\": 24}\n");
  const Outcome several = light("solve --input " + path("several.txt"));
  EXPECT_MENTIONS(several.err, "countdown-3: verified, ");
  EXPECT_MENTIONS(several.err, "sudoku: verified, ");
  EXPECT_MENTIONS(several.err, "several.txt:4: no model at hand takes the puzzle 'what'");
  EXPECT_MENTIONS(several.err, "5 puzzles: 4 verified, 0 wrong, 1 not read\n");
  const std::vector<std::string_view> answers = split(several.out, '\n');
  ASSERT_EQ(answers.size(), 6u) << several.out;
  EXPECT_EQ(answers[0], answers[4]);
  EXPECT_EQ(answers[1].size(), 81u);
  EXPECT_EQ(answers[3], "");
  const Outcome explained = light("solve --explain-format --input " + path("several.txt"));
  EXPECT_EQ(explained.out,
            path("several.txt") +
                "\n  1 puzzle of countdown-3: JSON, puzzles in 'nums and target', without answers\n"
                "  1 puzzle of countdown-3: lines, without answers\n"
                "  2 puzzles of sudoku: lines, without answers\n  1 that cannot be read\n");
  write_file(path("mixed.txt"), "nonsense\n4,5,15,24\n");
  EXPECT_MENTIONS(light("solve --json --input " + path("mixed.txt")).out, "\"4,5,15,24\"");
  write_file(path("broken.jsonl"), "{\n{}\n");
  EXPECT_MENTIONS(light("solve --input " + path("broken.jsonl")).err, "broken.jsonl:1: ");
  EXPECT_MENTIONS(light("solve nonsense more").err, "no model at hand takes the puzzle 'nonsense'");
  // What is wrong is said as the task would that it looks like.
  EXPECT_MENTIONS(light("solve 53..7...." + std::string(71, '.')).err,
                  "read as sudoku: the grid has 80 cells");
  EXPECT_MENTIONS(light("solve 6,2/2,10/1,9-").err, "read as planning: ");
  const std::string six = light("solve '25 50 75 100 3 6 -> 952'").err;
  EXPECT_MENTIONS(six, "is a puzzle of countdown-6, and no model");
  EXPECT_MENTIONS(six, "\n  right, by exact search: ");
  EXPECT_MENTIONS(light("solve '1 2 3 4 5 6 7 -> 28'").err, "read as countdown-");
  write_file(path("ten.cnf"), "p cnf 10 1\n1 2 3 0\n");
  EXPECT_MENTIONS(light("solve --input " + path("ten.cnf")).err,
                  "ten.cnf: no model here takes the formula of 10 variables");
  EXPECT_MENTIONS(light("solve " + path("ten.cnf")).err, "is a file");
  EXPECT_MENTIONS(light("solve ' '").err, "no puzzle to solve");
  EXPECT_MENTIONS(light("solve 'c a comment\np cnf 10 1\n1 2 3 0\n'").err,
                  "puzzle: no model here takes the formula of 10 variables");
  write_file(path("short.cnf"), "p cnf 5 2\n1 2 3 0\n");
  EXPECT_MENTIONS(light("solve --input " + path("short.cnf")).err, "short.cnf:1: the header");
  // A Sudoku in a file is one by the reader of such files, who says which row is wrong.
  write_file(path("slip.txt"),
             "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n"
             "...419..5\n....8..7\n");
  EXPECT_MENTIONS(light("solve --input " + path("slip.txt")).err,
                  "slip.txt:9: '....8..7' is no row of the grid that begins at line 1");
  write_file(path("eight.txt"), "53..7....\n6..195...\n.98....6.\n");
  EXPECT_MENTIONS(light("solve --input " + path("eight.txt")).err,
                  "eight.txt:1: the grid that begins here has 3 rows");
  write_file(path("columns.csv"),
             "id;puzzle\n1;53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419.."
             "5....8..79\n");
  EXPECT_EQ(light("solve --quiet --input " + path("columns.csv")).out.size(), 82u);
  write_file(path("table.tsv"),
             "5\t3\t\t\t7\t\t\t\t\n6\t\t\t1\t9\t5\t\t\t\n\t9\t8\t\t\t\t\t6\t\n"
             "8\t\t\t\t6\t\t\t\t3\n4\t\t\t8\t\t3\t\t\t1\n7\t\t\t\t2\t\t\t\t6\n"
             "\t6\t\t\t\t\t2\t8\t\n\t\t\t4\t1\t9\t\t\t5\n\t\t\t\t8\t\t\t7\t9\n");
  EXPECT_EQ(light("solve --quiet --input " + path("table.tsv")).out.size(), 82u);
}

TEST_F(Light, ReadsAndWritesFoldersOfArrays) {
  const std::string folder = "'" + (folder_ / "arrays").string() + "/'";
  ASSERT_EQ(mgdm("generate sudoku --count 3 --out " + folder).code, 0);
  const Outcome score = mgdm("eval --model sudoku --loops 8 --data " + folder);
  EXPECT_EQ(score.code, 0) << score.err;
  EXPECT_MENTIONS(score.out, "| all       | 3 |");
  const Outcome solved = mgdm("solve --loops 8 --quiet --input " + folder);
  EXPECT_EQ(solved.code, 0) << solved.err;
  const Outcome lines = mgdm("generate sudoku --count 3");
  for (const std::string_view solution : split(trim(solved.out), '\n'))
    EXPECT_MENTIONS(lines.out, solution);
}

TEST_F(Light, SaysWhenAPuzzleHasNoSolution) {
  const Outcome none = light("solve 1,1,1,100");
  EXPECT_EQ(none.code, 1);
  EXPECT_MENTIONS(none.err,
                  "no answer is right: the puzzle has no solution in whole numbers; try: "
                  "--fractions or --unused\n");
}

TEST_F(Light, SearchesWithoutAModel) {
  const Outcome six = light("solve 25 50 75 100 3 6 952 --exact");
  EXPECT_EQ(six.code, 0) << six.err;
  EXPECT_MENTIONS(six.err, "countdown-6: by exact search\n");
  EXPECT_EQ(light("solve 3 3 8 8 24 --exact").code, 1);
  EXPECT_EQ(light("solve 3 3 8 8 24 --fractions --quiet").out,
            "8/3=(8/3),3-(8/3)=(1/3),8/(1/3)=24\n");
  EXPECT_EQ(light("solve 2 3 50 6 --unused --quiet").out, "2*3=6\n");
  EXPECT_MENTIONS(light("solve 6,2/2,10-6,10 --fractions").err, "with the task planning");
  const Outcome both = light("solve 4 5 6 10 24 --model countdown-4 --exact --json");
  EXPECT_MENTIONS(both.out, "\"right\":\"4*5=20,10-6=4,20+4=24\"");
  EXPECT_EQ(light("solve 'p cnf 25 2\n1 -25 0 25 0\n' --exact").code, 10);
  const Outcome none = light("solve 'p cnf 2 2\n1 0 -1 0\n' --exact --quiet");
  EXPECT_EQ(none.code, 20);
  EXPECT_EQ(none.out, "s UNSATISFIABLE\n");
  EXPECT_EQ(light("solve 'p cnf 0 0\n' --exact --quiet").out, "s SATISFIABLE\nv 0\n");
  // The answers of files come in order, also where a line is no puzzle.
  ASSERT_EQ(mgdm("generate countdown-4 --count 300 --out " + path("some.jsonl")).code, 0);
  const Outcome labels = light("solve --exact --json --input " + path("some.jsonl"));
  EXPECT_EQ(labels.code, 0) << labels.err;
  const std::string examples = read_file(path("some.jsonl"));
  const auto lines = split(examples, '\n');
  const auto answers = split(labels.out, '\n');
  ASSERT_EQ(answers.size(), lines.size());
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string output(lines[i].substr(lines[i].rfind(": ") + 2));
    EXPECT_MENTIONS(std::string(answers[i]), output.substr(0, output.size() - 1));
  }
  write_file(path("bad.txt"), "4,5,6,10,24\nnonsense\n1,2,3,4,24\n");
  const Outcome bad = light("solve --exact --quiet --input " + path("bad.txt"));
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out, "4*5=20,10-6=4,20+4=24\n\n1+2=3,3+3=6,4*6=24\n");
}

TEST_F(Light, KnowsWhenATargetIsMissing) {
  const Outcome missing = light("solve 4 7 8 8");
  EXPECT_EQ(missing.code, 1);
  EXPECT_MENTIONS(missing.err, "'4,7,8,8' has no target\n");
  EXPECT_MENTIONS(missing.err, "try: Game of 24? add 24, or --target 24\n");
  EXPECT_EQ(light("solve 4 7 8 8 --target 24 --exact").code, 0);
  EXPECT_MENTIONS(light("solve 4 7 8 8 --model countdown-4").err, "try: add the target");
  EXPECT_EQ(light("solve 2 3 4 '=' 12").err.find("has no target"), std::string::npos);
  EXPECT_EQ(light("solve --input nothing --target 24").code, 1);
  EXPECT_MENTIONS(light("solve 0").err, "'0' is no puzzle\n");
}

// `script` gives the program a terminal.
TEST_F(Light, AsksForPuzzlesOnATerminal) {
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "no `script` here";
  write_file(path("typed"), "help\n4 7 8 8\n4 5 6 10 24\nexact\nmodel nosuch\nquit\n");
  const std::string command = "MGDM_MODELS='" MGDM_SOURCE_DIR "/models' TERM=dumb script -qec '" +
                              std::string(MGDM_LIGHT_PROGRAM) + " solve' /dev/null <'" +
                              path("typed") + "' >'" + path("seen") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  const std::string seen = read_file(path("seen"));
  for (const char* part : {"model NAME", "'4 7 8 8' has no target", "countdown-4: verified",
                           "countdown-4: by exact search", "there is no model 'nosuch'"})
    EXPECT_MENTIONS(seen, part);
}

// Left to right there is no chance: it is the order of the numbers that changes.
TEST_F(Light, TriesShowAPuzzleInOtherForms) {
  const std::string solve = "solve --model countdown-4-ar --arithmetic fp32 16,9,8,57,41 --json";
  const Outcome once = light(solve), often = light(solve + " --tries 10");
  EXPECT_EQ(once.code, 1) << once.out;
  EXPECT_EQ(often.code, 0) << often.out;
  EXPECT_MENTIONS(once.out, "\"verified\":false");
  EXPECT_MENTIONS(often.out, "\"verified\":true");
}

// Also where the puzzle is wrong, too.
TEST_F(Light, SolveTellsAWrongCommandLineFromAWrongPuzzle) {
  for (const std::string model : {"", "--model countdown-3 "}) {
    EXPECT_EQ(light("solve " + model + "nonsense").code, 1) << model;
    EXPECT_EQ(light("solve " + model).code, 2) << model;
    EXPECT_EQ(light("solve " + model + "4,5,15,24 --steps 0").code, 2) << model;
    EXPECT_EQ(light("solve " + model + "4,5,15,24 --symmetries 2 --tries 2").code, 2) << model;
    EXPECT_EQ(light("solve " + model + "4,5,15,24 --show --symmetries 2 --tries 2").code, 2);
  }
  EXPECT_EQ(light("solve --model countdown-3 nonsense --show --symmetries 2 --tries 2").code, 2);
  EXPECT_MENTIONS(light("solve --help").out, "Exit code: 0 when all answers are verified; 1 when");
}

// Of formulas of 7 variables, which sat-9 can read, and of short chains.
TEST_F(Light, PicksTheModelByTheSizeOfThePuzzle) {
  for (const std::string task : {"planning --nodes 4", "planning", "sat-7", "sat-9"}) {
    ASSERT_EQ(mgdm("generate " + task + " --split test --count 4 --out " + path("data")).code, 0);
    const Outcome outcome = light("solve --input " + path("data"));
    EXPECT_EQ(outcome.code, 0) << task << ": " << outcome.err;
  }
  ASSERT_EQ(mgdm("generate planning --nodes 7 --count 2 --out " + path("data")).code, 0);
  EXPECT_MENTIONS(light("eval --model quick-planning-mgdm --data " + path("data")).err, "--exact");
}

// A model that learned one size answers smaller puzzles, which are padded for it.
TEST_F(Light, AnswersPuzzlesThatAreSmallerThanTheModels) {
  for (const std::string nodes : {"2", "3", "4", "5"}) {
    ASSERT_EQ(mgdm("generate planning --split test --count 12 --nodes " + nodes + " --out " +
                   path("small.jsonl"))
                  .code,
              0);
    const Outcome outcome = light("solve --model planning --input " + path("small.jsonl"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("note"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(light("solve --model planning --quiet 90,3/3,4-90,4").out, "90,3/3,4\n");
  for (const std::string formula :
       {"p cnf 1 1\n-1 0\n", "p cnf 2 2\n1 2 0\n-1 0\n", "p cnf 3 3\n1 0\n-1 2 0\n-2 -3 0\n",
        "p cnf 4 2\n1 -1 0\n-4 -4 2 0\n", "p cnf 5 3\n1 2 -3 0\n-1 -5 0\n4 0\n",
        "p cnf 6 1\n-1 -2 -3 0\n", "p cnf 7 2\n-7 0\n6 -5 0\n", "p cnf 8 2\n-8 7 0\n1 -2 3 0\n",
        "p cnf 9 3\n-9 0\n8 0\n-7 0\n"}) {
    write_file(path("small.cnf"), formula);
    const Outcome outcome = light("solve --input " + path("small.cnf"));
    EXPECT_EQ(outcome.code, 10) << formula << outcome.out << outcome.err;
    write_file(path("answer"), outcome.out);
    const Outcome judged = mgdm("verify sat --data " + path("small.cnf") + " --predictions " +
                                path("answer") + " --json -");
    EXPECT_MENTIONS(judged.out, "\"accuracy\": 1");
  }
}

TEST_F(Light, PicksTheModelForThePuzzle) {
  const Outcome countdown = light("solve 4,5,6,10,24 --json");
  EXPECT_MENTIONS(countdown.out, "\"input\":\"4,5,6,10,24\"");
  const Outcome sudoku = light(
      "solve --quiet "
      "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
  EXPECT_EQ(sudoku.out,
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179\n");
  const Outcome none = light("solve 'what is love'");
  EXPECT_EQ(none.code, 1);
  EXPECT_MENTIONS(none.err, "no model at hand takes the puzzle");
}

// As a quoted word, as a file with titles, beside other columns: what `solve` draws it reads.
TEST_F(Light, SolvesASudokuAsPeoplePasteIt) {
  const std::string board =
      "5 3 . | . 7 . | . . .\n6 . . | 1 9 5 | . . .\n. 9 8 | . . . | . 6 .\n"
      "------+-------+------\n8 . . | . 6 . | . . 3\n4 . . | 8 . 3 | . . 1\n"
      "7 . . | . 2 . | . . 6\n------+-------+------\n. 6 . | . . . | 2 8 .\n"
      ". . . | 4 1 9 | . . 5\n. . . | . 8 . | . 7 9\n";
  const std::string answer =
      "534678912672195348198342567859761423426853791713924856961537284287419635345286179\n";
  EXPECT_EQ(light("solve --quiet '" + board + "'").out, answer);
  write_file(path("grids.txt"), "Grid 01\n" + board + "Grid 02\n" + board);
  EXPECT_EQ(light("solve --quiet --input " + path("grids.txt")).out, answer + answer);
  std::string list = "[";
  for (std::size_t row = 0; row < 9; ++row) {
    for (std::size_t i = 0; i < 9; ++i)
      list += (i == 0 ? "[" : ",") + answer.substr(9 * row + i, 1);
    list += row == 8 ? "]]" : "], ";
  }
  EXPECT_EQ(light("solve --quiet '" + list + "'").out, answer);
  EXPECT_MENTIONS(light("solve '[1,2,3]'").err, "'[1,2,3]'");
  const std::string line =
      "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
  for (const std::string& text :
       {"c0ffee " + line + " 2.5\n", "id,puzzle,clues\n1," + line + ",30\n"}) {
    write_file(path("columns.txt"), text);
    EXPECT_EQ(light("solve --quiet --input " + path("columns.txt")).out, answer) << text;
  }
}

TEST_F(Light, SaysWhenAPuzzleIsBeyondWhatModelsAreTrainedOn) {
  const std::string note =
      "note: 500 is beyond the numbers 1..99 and the targets 10..100 that the model was trained "
      "on\n";
  EXPECT_MENTIONS(light("solve '4, 5, 500, 24'").err, note);
  EXPECT_MENTIONS(light("solve --show 4,5,500,24").err, note);
  const std::string twice = light("solve 4,5,500,24 4,5,500,25").err;
  EXPECT_EQ(twice.find("note"), twice.rfind("note")) << twice;
  EXPECT_EQ(light("solve 4,5,15,24").err.find("note"), std::string::npos);
  EXPECT_EQ(light("solve --quiet 4,5,500,24").err, "");
}

TEST_F(Light, PassesOverASudokuWhoseGivensClash) {
  const std::string good =
      "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
  const std::string bad = "55" + good.substr(2);
  const std::string words = "the givens clash: row 1 has 5 twice (columns 1 and 2)";
  for (const std::string show : {"", " --show"}) {
    const Outcome outcome = light("solve " + bad + " " + good + show);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_MENTIONS(outcome.out, "534678912672195348198342567859761423426853791713924856961537284");
    EXPECT_EQ(outcome.err.substr(0, outcome.err.find('\n')), "not solved: " + words);
    EXPECT_MENTIONS(outcome.err, "\nsudoku: verified, ");  // and what it was taken for
  }
  const Outcome json = light("solve --json " + bad);
  EXPECT_EQ(json.code, 1);
  EXPECT_MENTIONS(json.out, "\"solution\":\"\",\"verified\":false,\"explanation\":\"" + words +
                                "\",\"passes\":0");
}

TEST_F(Light, SaysWhichProgramRunsModelsOfNoisedVectors) {
  ASSERT_EQ(mgdm("train '" MGDM_SOURCE_DIR "/recipes/smoke/vdm.toml' training.steps=1 "
                 "evaluation.count=0 --quiet --out " +
                 path("run"))
                .code,
            0);
  const std::string solve = "solve --model " + path("run/checkpoint-1") + " '1,2/3,1/4,0/0,5-4,5'";
  const Outcome refused = alone(solve);
  EXPECT_EQ(refused.code, 1);
  EXPECT_MENTIONS(refused.err, "noised vectors");
  EXPECT_MENTIONS(refused.err, "the full program, built with LibTorch, runs it");
  // Where that lies beside it, it answers, also what is sent.
  write_file(path("puzzles"), "1,2/3,1/4,0/0,5-4,5\n");
  const Outcome sent =
      mgdm("solve --model " + path("run/checkpoint-1"), "", path("puzzles"), MGDM_LIGHT_PROGRAM);
  EXPECT_MENTIONS(sent.err, "wrong, 4 passes");
  // Where no model is named it is none of those at hand.
  EXPECT_EQ(mgdm("solve", "MGDM_MODELS=" + path("run"), path("puzzles"), lone_program())
                .err.find("noised vectors"),
            std::string::npos);
  // It is one of many to reproduce.
  const std::string vdm = path("runs/countdown-3-tiny-vdm");
  fs::create_directories(vdm);
  fs::copy(path("run/checkpoint-1"), vdm + "/checkpoint-1", fs::copy_options::recursive);
  const Outcome table =
      mgdm("reproduce countdown --limit 1 --runs " + path("runs") + " --out " + path("results"),
           "MGDM_RECIPES=" MGDM_SOURCE_DIR "/recipes", "/dev/null", lone_program());
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_MENTIONS(table.out, "noised vectors");
  const Outcome answered = full_mgdm(solve);
  EXPECT_MENTIONS(answered.err, "wrong, 4 passes");  // though nothing was learned
  EXPECT_MENTIONS(answered.err, "right, by exact search: 4,0/0,5\n");
}

TEST_F(Light, SaysWhatThereIsAndWhatWasMeant) {
  EXPECT_MENTIONS(light("describe").out, "quick-planning-mgdm  planning, mgdm, looped, 406,272 ");
  EXPECT_MENTIONS(light("models").err, "did you mean 'describe'?");
  EXPECT_MENTIONS(light("solve --watch").err, "did you mean '--show'?");
  EXPECT_MENTIONS(light("describe --model sudoku").err,
                  "mgdm describe and its name, without --model");
  EXPECT_EQ(light("help nosuch").code, 2);
  EXPECT_TRUE(light("tasks sudoku").out.starts_with("sudoku "));
  EXPECT_EQ(light("tasks sudoku").out.find("planning"), std::string::npos);
}

TEST_F(Light, ExportsAndReadsItBack) {
  ASSERT_EQ(light("export --model quick-planning-mgdm --dtype fp32 --out " + path("wide")).code, 0);
  ASSERT_EQ(light("export --model " + path("wide") + " --out " + path("narrow")).code, 0);
  ASSERT_EQ(
      light("export --transformers --model " + path("wide") + " --out " + path("theirs")).code, 0);
  EXPECT_TRUE(fs::exists(path("theirs") + "/modeling_mgdm.py"));
  EXPECT_MENTIONS(read_file(path("theirs") + "/config.json"), "modeling_mgdm.MgdmLooped");
  EXPECT_EQ(light("describe " + path("theirs")).code, 0);
  const std::string file = "model.safetensors";
  EXPECT_EQ(read_file(folder_ / "narrow" / file),
            read_file(fs::path(MGDM_SOURCE_DIR "/models/quick-planning-mgdm") / file));
  EXPECT_GT(fs::file_size(folder_ / "wide" / file), 1'600'000u);
  // What is no number is found.
  ASSERT_EQ(light("describe --quiet " + path("wide")).code, 0);
  std::string weights = read_file(folder_ / "wide" / file);
  weights.replace(weights.size() - 4, 4, "\xff\xff\xff\x7f");
  write_file(path("wide/" + file), weights);
  for (const std::string& fault : {file + " is damaged", std::string("finite")}) {
    for (const std::string& command : {std::string("describe "), std::string("solve 1,2 --model "),
                                       "export --out " + path("x") + " --model "}) {
      const Outcome refused = light(command + path("wide"));
      EXPECT_EQ(refused.code, 1) << command;
      EXPECT_MENTIONS(refused.err, fault);
    }
    fs::remove(folder_ / "wide/checksums.txt");  // from here on nothing tells but the numbers
  }
  // The card names the arithmetic; a flag names another.
  ASSERT_EQ(
      light("export --model quick-planning-mgdm --arithmetic int8 --out " + path("int8")).code, 0);
  EXPECT_MENTIONS(light("describe " + path("int8")).out, "| arithmetic ");
  EXPECT_MENTIONS(light("describe " + path("int8")).out, "| CRC-32C");
  ASSERT_EQ(mgdm("generate planning --nodes 4 --count 3 --out " + path("few")).code, 0);
  fs::copy(folder_ / "int8", folder_ / "old");
  fs::remove(folder_ / "old/checksums.txt");
  for (const char* const command : {"solve --input ", "eval --data "}) {
    EXPECT_MENTIONS(light(command + path("few") + " --model " + path("old")).err,
                    "has no checksums.txt");
    EXPECT_EQ(light(command + path("few") + " --model " + path("int8")).err.find("checksums"),
              std::string::npos);
  }
  const std::string eval = "eval --json - --data " + path("few") + " --model " + path("int8");
  EXPECT_MENTIONS(light(eval).out, "\"arithmetic\": \"int8\"");
  EXPECT_MENTIONS(light(eval + " --arithmetic fp32").out, "\"arithmetic\": \"fp32\"");
  // What training measured comes along, also from several runs.
  EXPECT_FALSE(fs::exists(folder_ / "narrow/history.jsonl"));
  for (const std::string run : {"run", "next"}) {
    fs::create_directories(folder_ / run);
    write_file(path(run + "/metrics.jsonl"),
               "{\"step\":8,\"seconds\":30,\"loss\":0.5}\n{\"step\":8,\"accuracy\":0.25}\n");
  }
  fs::copy(folder_ / "narrow", folder_ / "run/checkpoint-8");
  ASSERT_EQ(light("export --model " + path("run/checkpoint-8") + " --out " + path("kept")).code, 0);
  const std::string line = "{\"step\":8,\"minutes\":0.5,\"loss\":0.5,\"accuracy\":0.25}\n";
  EXPECT_EQ(read_file(folder_ / "kept/history.jsonl"), line);
  ASSERT_EQ(light("export --model " + path("narrow") + " --out " + path("both") + " --history " +
                  path("kept") + " " + path("next"))
                .code,
            0);
  EXPECT_EQ(read_file(folder_ / "both/history.jsonl"),
            line + "{\"step\":16,\"minutes\":1,\"loss\":0.5,\"accuracy\":0.25}\n");
  const Outcome nothing = light("export --model quick-planning-mgdm --history " + path("narrow") +
                                " --out " + path("none"));
  EXPECT_EQ(nothing.code, 1);
  EXPECT_MENTIONS(nothing.err, "has no history");
  const Outcome again = light("export --model quick-planning-mgdm --out " + path("narrow"));
  EXPECT_EQ(again.code, 1);
  EXPECT_MENTIONS(again.err, "is there already");
}

}  // namespace
}  // namespace mgdm
