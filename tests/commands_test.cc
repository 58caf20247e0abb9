// Runs the program as a user does and looks at what it prints, writes and returns.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "background_process.h"
#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

TEST_F(Program, TasksListsEveryTaskWithAnExample) {
  const Outcome outcome = mgdm("tasks");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"planning", "countdown-3", "countdown-6", "sudoku", "sat-5", "sat-9"})
    EXPECT_MENTIONS("\n" + outcome.out, std::string("\n") + name);
  const Outcome variant = mgdm("tasks sat");
  EXPECT_EQ(variant.code, 0) << variant.err;
  EXPECT_MENTIONS(variant.out, "DIMACS");
}

TEST_F(Program, GoesOnWithTheThreadsThatTheSystemStarts) {
  const std::string generate = "generate planning --nodes 4 --count 100000 --quiet --threads ";
  // Stacks of 1 GB, of which 5 GB hold four.
  const Outcome few =
      mgdm(generate + "90", "ulimit -s 1000000; ulimit -v 5000000; timeout -s KILL 60");
  EXPECT_EQ(few.code, 0) << few.err;
  EXPECT_EQ(few.out, mgdm(generate + "2").out);
}

TEST_F(Program, HelpHasExamples) {
  EXPECT_MENTIONS(mgdm("--help").out, "generate");
  for (const std::string command : {"generate", "verify", "tasks"}) {
    const Outcome outcome = mgdm(command + " --help");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_MENTIONS(outcome.out, "Examples:\n  mgdm " + command);
    EXPECT_EQ(mgdm("help " + command).out, outcome.out);
  }
  EXPECT_EQ(mgdm("help").out, mgdm("--help").out);
  const Outcome version = mgdm("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_MENTIONS(version.out, "mgdm 0.");
  EXPECT_EQ(mgdm("-V").out, version.out);
  EXPECT_MENTIONS(mgdm("--version", "taskset -c 0").out, "), 1 thread\n");
  for (const std::string command : {"generate", "verify", "train", "eval", "solve", "bench"}) {
    const std::string help = mgdm(command + " --help").out;
    EXPECT_MENTIONS(help, "--threads N");
    for (const std::string_view line : split(help, '\n'))
      if (!line.starts_with("  mgdm ")) {
        EXPECT_LE(count_code_points(line), 100u) << line;
      }
  }
}

TEST_F(Program, SameSeedSameBytesWhateverTheThreads) {
  for (const std::string task : {"planning", "countdown-4", "sudoku", "sat-7",
                                 "sudoku --difficulty hard", "planning --nodes 4"}) {
    const std::string arguments = "generate " + task + " --count 700 --seed 5 --threads ";
    const Outcome one = mgdm(arguments + "1"), three = mgdm(arguments + "3");
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(split(one.out, '\n').size(), 701u);
    EXPECT_EQ(one.out, three.out) << task;
    EXPECT_NE(one.out, mgdm("generate " + task + " --count 700 --seed 6").out);
  }
}

TEST_F(Program, ReleasedExamplesAndTheirTraces) {
  const Outcome examples = mgdm("generate countdown-4 --as-released --count 2"),
                traces = mgdm("generate countdown-4 --traces --count 2");
  EXPECT_EQ(examples.out,
            "{\"input\": \"90,11,37,95,55\", \"output\": \"90+95=185,11*185=2035,2035/37=55\"}\n"
            "{\"input\": \"70,63,75,32,100\", \"output\": \"70-63=7,75+32=107,107-7=100\"}\n")
      << examples.err;
  EXPECT_TRUE(traces.out.starts_with("{\"nums\": [90, 11, 37, 95], \"target\": 55,")) << traces.err;
  EXPECT_EQ(split(traces.out, '\n').size(), 3u);
}

TEST_F(Program, PuzzlesMayComeThroughAPipe) {
  const std::string data = path("data.jsonl");
  ASSERT_EQ(mgdm("generate planning --count 2000 --out " + data).code, 0);  // more than a buffer
  const Outcome file = mgdm("verify planning --data " + data + " --predictions " + data);
  ASSERT_EQ(file.code, 0) << file.err;
  const std::string pipe = path("pipe"),
                    fill = "mkfifo '" + pipe + "'; cat '" + data + "' >'" + pipe + "' &";
  const auto verify = [&](const std::string& name, const std::string& before,
                          const std::string& input) {
    return mgdm("verify planning --data " + name + " --predictions " + data, before, input);
  };
  EXPECT_EQ(verify(pipe, fill, "/dev/null").out, file.out);
  EXPECT_EQ(verify("-", "", data).out, file.out);
  EXPECT_EQ(verify("/dev/stdin", "", data).out, file.out);
  const Outcome empty = verify("-", "", "/dev/null");
  EXPECT_EQ(empty.code, 1);
  EXPECT_MENTIONS(empty.err, "there is no puzzle in <stdin>");
}

TEST_F(Program, AFileAboveTheLimitOfTheShellIsAnError) {
  const std::string file = path("data.jsonl");
  const Outcome outcome = mgdm("generate sudoku --count 1000 --out " + file, "ulimit -f 16; ");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_MENTIONS(outcome.err, "cannot write " + file + ": File too large");
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Program, GeneratedLabelsVerify) {
  for (const std::string task :
       {"planning", "countdown-3", "countdown-5", "sudoku", "sat-5", "sat-9"}) {
    const std::string data = path("data.jsonl");
    ASSERT_EQ(mgdm("generate " + task + " --split test --count 200 --out " + data).code, 0);
    const Outcome outcome = mgdm("verify " + task + " --data " + data + " --predictions " + data +
                                 " --json " + path("score.json"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(read_file(path("score.json")));
    EXPECT_EQ(json["task"], task);
    EXPECT_EQ(json["n"], 200);
    EXPECT_EQ(json["accuracy"], 1.0);
    EXPECT_EQ(json["accuracy_paper"], 1.0);
    EXPECT_TRUE(json["errors"].empty());
    EXPECT_TRUE(json.contains("git_revision"));
    EXPECT_EQ(json.contains("accuracy_by_planning_distance"), task == "planning");
    EXPECT_EQ(json.contains("accuracy_by_guesses"), task == "sudoku");
  }
}

TEST_F(Program, SudokuCsvRoundTrip) {
  ASSERT_EQ(mgdm("generate sudoku --count 20 --out " + path("a.csv")).code, 0);
  EXPECT_TRUE(read_file(path("a.csv")).starts_with("quizzes,solutions\n"));
  ASSERT_EQ(mgdm("generate sudoku --count 20 --out " + path("a.jsonl")).code, 0);
  const Outcome outcome = mgdm("verify sudoku --data " + path("a.csv") + " --predictions " +
                               path("a.jsonl") + " --json " + path("score.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(read_file(path("score.json")))["accuracy_paper"], 1.0);
  EXPECT_EQ(mgdm("generate planning --out " + path("b.csv")).code, 2);
  EXPECT_MENTIONS(mgdm("generate planning --out ''").err, "--out is empty");
  ASSERT_EQ(mgdm("generate sudoku --count 20 --out " + path("A.CSV")).code, 0);
  EXPECT_EQ(read_file(path("A.CSV")), read_file(path("a.csv")));
}

TEST_F(Program, GeneratesPuzzlesAlone) {
  EXPECT_MENTIONS(mgdm("generate sat-5 --out " + path("b.cnf")).err, "a file has one formula");
  EXPECT_EQ(mgdm("generate sudoku --count 1 --out " + path("b.dimacs")).code, 2);
  ASSERT_EQ(mgdm("generate sat-5 --count 1 --out " + path("b.cnf")).code, 0);
  EXPECT_TRUE(read_file(path("b.cnf")).starts_with("p cnf 5 41\n"));
  EXPECT_MENTIONS(mgdm("generate planning --as-released --out " + path("b.txt")).err,
                  "asks for puzzles alone");
  ASSERT_EQ(mgdm("generate planning --count 20 --out " + path("p.txt")).code, 0);
  ASSERT_EQ(mgdm("generate planning --count 20 --out " + path("p.jsonl")).code, 0);
  const std::string lines = read_file(path("p.jsonl"));
  std::string puzzles;
  for (const std::string_view line : split(trim(lines), '\n'))
    puzzles += nlohmann::json::parse(line).at("input").get<std::string>() + "\n";
  EXPECT_EQ(read_file(path("p.txt")), puzzles);
}

TEST_F(Program, CompressedFilesAreWrittenAndRead) {
  ASSERT_EQ(mgdm("generate sudoku --count 50 --out " + path("plain.csv")).code, 0);
  const std::string plain = read_file(path("plain.csv"));
  for (const std::string name : {"a.csv.gz", "a.csv.GZ", "a.csv.zst"}) {
    ASSERT_EQ(mgdm("generate sudoku --count 50 --out " + path(name)).code, 0);
    EXPECT_LT(fs::file_size(path(name)), plain.size() * 3 / 4) << name;
    EXPECT_EQ(read_file(path(name)), plain) << name;
    const Outcome outcome =
        mgdm("verify sudoku --data " + path(name) + " --predictions " + path(name));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  for (const std::string name : {"a.csv.xz", "a.bz2", "a.zip"}) {
    const Outcome outcome = mgdm("generate sudoku --count 1 --out " + path(name));
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_MENTIONS(outcome.err, ".gz or .zst");
    EXPECT_FALSE(fs::exists(path(name)));
  }
}

TEST_F(Program, VerifyCountsWhatWentWrong) {
  write_file(path("data.jsonl"),
             "{\"input\": \"86,28,13,31,96\", \"output\": \"86+28=114,31-13=18,114-18=96\"}\n"
             "{\"input\": \"39,22,92,10,89\", \"output\": \"39+92=131,22*10=220,220-131=89\"}\n"
             "{\"input\": \"4,5,6,10,24\", \"output\": \"=24\"}\n");
  write_file(path("answers.jsonl"),
             "{\"predict\": \"86+28=114,31-13=18,114-18=96[EOS][PAD]\"}\n"
             "{\"output\": \"39+92=130,22*10=220,220-131=89\"}\n"
             "{\"output\": \"20+4=24\"}\n");  // true, hits the target, uses numbers not given
  const Outcome outcome =
      mgdm("verify countdown-4 --data " + path("data.jsonl") + " --predictions " +
           path("answers.jsonl") + " --json " + path("score.json") + " --explain 2");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_MENTIONS(outcome.out, "equation 1 says 39+92=130, but it is 131");
  const auto json = nlohmann::json::parse(read_file(path("score.json")));
  EXPECT_DOUBLE_EQ(json["accuracy"], 1.0 / 3);
  EXPECT_DOUBLE_EQ(json["accuracy_paper"], 2.0 / 3);
  EXPECT_EQ(json["errors"]["calculation error"], 1);
  EXPECT_EQ(json["errors"]["number not available"], 2);
  EXPECT_EQ(json["errors_by_place"]["calculation error"]["1"], 1);
}

TEST_F(Program, VerifyTakesAnswersBesideTheirPuzzlesOnly) {
  write_file(path("data.jsonl"), "{\"input\": \"4,5,6,10,24\"}\n{\"input\": \"1,2,3,4,10\"}\n");
  const auto verify = [&](const std::string& answers) {
    write_file(path("answers"), answers);
    return mgdm("verify countdown-4 --quiet --data " + path("data.jsonl") + " --predictions " +
                path("answers"));
  };
  const std::string first = "\"4, 5, 6, 10, 24\",x\n", second = "\"1,2,3,4,10\",y\n";
  EXPECT_EQ(verify("input,output\n" + first + second).code, 0);
  EXPECT_EQ(verify("question,output\n\"Make 24 from 4, 5, 6, 10\",x\n,y\n").code, 0);
  const Outcome sorted = verify("input,output\n" + second + first);
  EXPECT_EQ(sorted.code, 1);
  EXPECT_MENTIONS(sorted.err, "answers:2: the answer is one to another puzzle: '1,2,3,4,10'");
}

TEST_F(Program, VerifyGoesOnAfterWhatCannotBeRead) {
  std::string data, places, answers;
  for (int i = 0; i < 20; ++i) {
    const bool good = i % 2 == 0;
    data += good ? "{\"nums\": [4, 5, 6, 10], \"target\": 24}\n" : "{\"input\": \"1,2\"}\n";
    places += good ? "4*5=20,10-6=4,20+4=24\n" : "\n";  // as `solve` prints them
    answers += good ? "4*5=20,10-6=4,20+4=24\n" : "";
  }
  write_file(path("data.jsonl"), data);
  for (const std::string& text : {places, answers}) {
    write_file(path("answers"), text);
    const Outcome outcome = mgdm("verify countdown-4 --data " + path("data.jsonl") +
                                 " --predictions " + path("answers") + " --json " + path("score"));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_MENTIONS(outcome.err, "data.jsonl:10: '1,2' is not a countdown-4 puzzle\n");
    EXPECT_MENTIONS(outcome.err, "mgdm: and 5 more that cannot be read\n");
    const auto json = nlohmann::json::parse(read_file(path("score")));
    EXPECT_EQ(json["n"], 10);
    EXPECT_EQ(json["accuracy"], 1.0);
  }
  const Outcome explained =
      mgdm("verify countdown-4 --explain-format --data " + path("data.jsonl"));
  EXPECT_EQ(explained.code, 0);
  EXPECT_MENTIONS(
      explained.out,
      "  10 puzzles of countdown-4: JSON, puzzles in 'nums and target', without answers\n"
      "  10 that cannot be read\n");
  EXPECT_MENTIONS(mgdm("verify countdown-4 --data " + path("data.jsonl")).err,
                  "--predictions is required");
}

TEST_F(Program, WhatFilesSayNeverReachesTheTerminalRaw) {
  const std::string escape = "\x1b";
  write_file(path("data.jsonl"), "{\"input\": \"4,5,6,10,24\"}\n");
  write_file(path("answers.jsonl"), "{\"output\": \"\\u001b[2J4+5=9\"}\n");
  const std::string verify =
      "verify countdown-4 --explain 1 --predictions " + path("answers.jsonl");
  const Outcome explained = mgdm(verify + " --data " + path("data.jsonl"));
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_MENTIONS(explained.out, "\\x1b[2J4+5=9");
  const Outcome missing = mgdm(verify + " --data '" + path(escape + "[2J") + "'");
  EXPECT_EQ(missing.code, 1);
  EXPECT_MENTIONS(missing.err, "\\x1b[2J");
  write_file(path(escape + ".jsonl"), "{\"input\": \"1\"}\n");
  const Outcome bad = mgdm(verify + " --data '" + path(escape + ".jsonl") + "'");
  for (const Outcome& outcome : {explained, missing, bad})
    EXPECT_EQ((outcome.out + outcome.err).find(escape), std::string::npos) << outcome.err;
}

TEST_F(Program, VerifyTakesDimacsAndSolverOutput) {
  write_file(path("f.cnf"), "p cnf 30 2\n1 -2 30 0\n-1 2 0\n");
  write_file(path("answer"), "s SATISFIABLE\nv 1 2 0\n");
  const Outcome outcome = mgdm("verify sat --data " + path("f.cnf") + " --predictions " +
                               path("answer") + " --json " + path("score.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // A formula has no label, so the paper's metric has nothing to say.
  EXPECT_MENTIONS(outcome.out, " n/a |");
  const auto json = nlohmann::json::parse(read_file(path("score.json")));
  EXPECT_EQ(json["accuracy"], 1.0);
  EXPECT_TRUE(json["accuracy_paper"].is_null() && json["stderr_paper"].is_null()) << json;
}

TEST_F(Program, VerifyJudgesWhatSolversClaim) {
  const auto accuracy = [&](const std::string& formula, const std::string& answer) {
    write_file(path("f.cnf"), formula);
    write_file(path("answer"), answer);
    const Outcome outcome = mgdm("verify sat --quiet --data " + path("f.cnf") + " --predictions " +
                                 path("answer") + " --json " + path("score.json"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(read_file(path("score.json")))["accuracy"].get<double>();
  };
  const std::string none = "p cnf 1 2\n1 0\n-1 0\n", some = "p cnf 1 1\n1 0\n";
  EXPECT_EQ(accuracy(none, "c a comment\ns UNSATISFIABLE\n"), 1);
  EXPECT_EQ(accuracy(some, "c a comment\ns UNSATISFIABLE\n"), 0);
  EXPECT_EQ(accuracy(some, "c verified, 20 passes\ns SATISFIABLE\nv 1 0\n"), 1);
  EXPECT_EQ(accuracy(some, "s UNKNOWN\n"), 0);
}

TEST_F(Program, JsonOnStandardOutputStandsAlone) {
  const std::string data = path("data.jsonl");
  ASSERT_EQ(mgdm("generate planning --nodes 4 --count 5 --split test --out " + data).code, 0);
  const std::string models = "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'";
  const std::string eval = "eval --model quick-planning-mgdm --steps 2 --data " + data;
  const std::pair<std::string, const char*> cases[] = {
      {"verify planning --explain 1 --data " + data + " --predictions " + data, "accuracy %"},
      {"bench signature", "  signature\n"},
      {eval, "accuracy %"},
  };
  for (const auto& [words, table] : cases)
    for (const std::string name : {"-", "/dev/stdout"}) {
      const Outcome outcome = mgdm(words + " --json " + name, models);
      ASSERT_EQ(outcome.code, 0) << words << outcome.err;
      EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
      EXPECT_MENTIONS(outcome.err, table);
      EXPECT_EQ(mgdm(words + " --quiet --json " + name, models).err, "");
    }
  const Outcome losses = mgdm(eval + " --losses -", models);
  EXPECT_TRUE(nlohmann::json::accept(losses.out)) << losses.out;
  const Outcome both = mgdm(eval + " --json - --predictions -", models);
  EXPECT_EQ(both.code, 2);
  EXPECT_MENTIONS(both.err, "--json and --predictions");
}

TEST_F(Program, EvalMakesPuzzlesWhereNoneAreGiven) {
  const std::string models = "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", data = path("data.jsonl");
  ASSERT_EQ(
      mgdm("generate planning --nodes 4 --split test --seed 77 --count 12 --out " + data).code, 0);
  const std::string eval = "eval --model quick-planning-mgdm --steps 2 --predictions ";
  ASSERT_EQ(mgdm(eval + path("given") + " --data " + data, models).code, 0);
  const Outcome fresh = mgdm(eval + path("fresh") + " --limit 12", models);
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_MENTIONS(fresh.out, "12 fresh puzzles of the test split");
  EXPECT_EQ(read_file(path("fresh")), read_file(path("given")));
  EXPECT_MENTIONS(mgdm(eval + path("one") + " --limit 1", models).out, "1 fresh puzzles of");
  const Outcome losses = mgdm("eval --model quick-planning-mgdm --losses -", models);
  EXPECT_EQ(losses.code, 2);
  EXPECT_MENTIONS(losses.err, "--losses without --data");
}

TEST_F(Program, FilesThatAreWrittenPushNothingOut) {
  const std::string models = "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'";
  const std::string data = path("data.jsonl"), answers = path("answers.jsonl");
  ASSERT_EQ(mgdm("generate countdown-4 --count 5 --out " + data).code, 0);
  ASSERT_EQ(mgdm("generate countdown-4 --count 5 --out " + answers).code, 0);
  const std::string before = read_file(answers);
  const Outcome twice_read = mgdm("verify countdown-4 --data - --predictions -");
  EXPECT_EQ(twice_read.code, 2);
  EXPECT_MENTIONS(twice_read.err, "--data and --predictions both read standard input");
  const Outcome verify = mgdm("verify countdown-4 --data " + data + " --predictions " + answers +
                              " --json " + path("./answers.jsonl"));
  EXPECT_EQ(verify.code, 2);
  EXPECT_MENTIONS(verify.err, "--json and --predictions name the same file");
  EXPECT_EQ(read_file(answers), before);
  const std::string eval = "eval --model quick-planning-mgdm --steps 1 --limit 2 ";
  const Outcome twice =
      mgdm(eval + "--json " + path("new") + " --predictions " + path("./new"), models);
  EXPECT_EQ(twice.code, 2);
  EXPECT_MENTIONS(twice.err, "name the same file");
  const std::string model = path("model"), weights = model + "/model.safetensors";
  fs::copy(MGDM_SOURCE_DIR "/models/quick-planning-mgdm", model);
  const std::string kept = read_file(weights);
  for (const std::string& command :
       {eval + "--json " + weights, "generate sudoku --out " + model + "/config.json",
        eval + "--predictions " + model + "/tokenizer.json"}) {
    const Outcome over = mgdm(command, models);
    EXPECT_EQ(over.code, 2) << command;
    EXPECT_MENTIONS(over.err, "would overwrite a file of a model");
  }
  EXPECT_TRUE(read_file(weights) == kept);
  fs::remove(model + "/checksums.txt");  // which lists the other files
  EXPECT_EQ(mgdm(eval + "--predictions " + model + "/tokenizer.json", models).code, 2);
  write_file(path("my-config.json"), "{}");  // beside no model
  EXPECT_EQ(mgdm(eval + "--json " + path("my-config.json"), models).code, 0);
  // Known before the work is done.
  const Outcome nowhere = mgdm(eval + "--json " + path("no-folder/x.json"), models);
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_MENTIONS(nowhere.err, "cannot write");
  EXPECT_EQ(nowhere.out, "");
  const Outcome many = mgdm("eval --model quick-planning-mgdm --limit 1000001", models);
  EXPECT_EQ(many.code, 2);
  EXPECT_MENTIONS(many.err, "--limit 1000001 without --data");
}

TEST_F(Program, BenchListsAndSigns) {
  const Outcome list = mgdm("bench");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_MENTIONS(list.out, "signature ");
  const Outcome signature = mgdm("bench signature --threads 2 --json " + path("signature.json"));
  EXPECT_EQ(signature.code, 0) << signature.err;
  const auto json = nlohmann::json::parse(read_file(path("signature.json")));
  EXPECT_MENTIONS(signature.out, json["signature"].get<std::string>() + "  signature\n");
  for (const auto& [name, hash] : json["parts"].items())
    EXPECT_MENTIONS(signature.out, hash.get<std::string>() + "  " + name + "\n");
  EXPECT_TRUE(json.contains("git_revision"));
  const Outcome unknown = mgdm("bench signatur");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_MENTIONS(unknown.err, "did you mean 'signature'?");
}

TEST_F(Program, BenchTimesDecoding) {
  const std::string how = " --device cpu --turns 1 --batch 2 --steps 2 --json -";
  const std::string recipe = "'" MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml'";
  // One try of one form is timed, whatever the recipe says.
  for (const std::string& subject :
       {std::string("quick-planning-mgdm"), recipe, recipe + " decoding.tries=3",
        recipe + " decoding.symmetries=3"}) {
    const Outcome outcome =
        mgdm("bench decode " + subject + how, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["batch"], 2);
    EXPECT_EQ(json["passes"], 2);
    EXPECT_EQ(json["compared"], 16);
    EXPECT_GT(json["ms"], 0);
    EXPECT_NEAR(json["ms_per_pass"].get<double>() * 2, json["ms"].get<double>(), 1e-9);
    EXPECT_MENTIONS(outcome.err, "ms a batch");
  }
  EXPECT_EQ(mgdm("bench decode").code, 2);
}

TEST_F(Program, WrongUsageIsTwoAndNamesTheNearest) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"generate sudko", "did you mean 'sudoku'?"},
      {"generate sudoku --cuont 3", "did you mean '--count'?"},
      {"genrate sudoku", "did you mean 'generate'?"},
      {"generate sudoku --count 0", "1 to"},
      {"generate sudoku --seed 18446744073709551615", "an integer, 0 to 9223372036854775807"},
      {"generate sudoku --split tset", "did you mean 'test'?"},
      {"generate countdown-4 --nodes 4", "nodes only with planning"},
      {"generate countdown-4 --difficulty hard", "difficulty only with sudoku"},
      {"generate sat", "sat-5 to sat-9"},
      {"generate sudoku --as-released", "planning, countdown-3, countdown-4"},
      {"generate countdown-4 --largest 13 --as-released", "with default options"},
      {"generate countdown-4 --labels any --as-released", "with default options"},
      {"generate sudoku --labels any", "labels only with countdown"},
      {"generate planning --nodes 4 --as-released", "with default options"},
      {"generate planning --as-released --split test --count 1001", "at most 1000"},
      {"generate countdown-4 --as-released --seed 1", "no --seed"},
      {"solve --batch 65537 x", "1 to 65536"},
      {"generate planning --traces", "countdown-3 or countdown-4"},
      {"generate", "task is required"},
      {"verify sudoku --data x", "--predictions is required"},
      {"verify sudoku --data x --predctions y", "did you mean '--predictions'?"},
      {"eval planning", "--model is required"},
      {"generate --", "task is required"},
      {"--", "no command was given"},
      {"eval --modle planning", "did you mean '--model'?"},
      {"eval --model planning --early-stop --no-early-stop", "--early-stop excludes --no-early"},
  };
  for (const auto& [words, hint] : mistakes) {
    const Outcome outcome = mgdm(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_MENTIONS(outcome.err, hint);
  }
}

TEST_F(Program, BadInputIsOneNamesTheLineAndLeavesNoFile) {
  write_file(path("good.jsonl"), "{\"input\": \"4,5,6,10,24\"}\n{\"input\": \"1,2,3,4,10\"}\n");
  write_file(path("answers.jsonl"), "{\"output\": \"\"}\n{\"output\": \"\"}\n");
  const auto verify = [&](const std::string& data, const std::string& predictions) {
    return mgdm("verify countdown-4 --data " + path(data) + " --predictions " + path(predictions) +
                " --json " + path("score.json"));
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"input\": \"4,5,6,10,24\"}\n{\"input\": \"1,2,3\"}\n",
       ":2: '1,2,3' is not a countdown-4"},
      {"{\"input\": \"4,5,6,10,24\"}\n{\"inptu\": \"1,2\"}\n",
       ":2: the line has none of these members: input"},
      {"{\"input\": \"4,5,6,10,24\"}\n{\"input\": \"1,2", ":2: "},
      {std::string("\x7f"
                   "ELF\0\0\xff\xfe",
                   8),
       " is not a text file"},
      {"", "no puzzle"},
  };
  for (const auto& [text, complaint] : cases) {
    write_file(path("bad.jsonl"), text);
    const Outcome outcome = verify("bad.jsonl", "answers.jsonl");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_MENTIONS(outcome.err, path("bad.jsonl"));
    EXPECT_MENTIONS(outcome.err, complaint);
    // The others are still judged, if there are any.
    const bool any = text.find("4,5,6") != std::string::npos;
    EXPECT_EQ(fs::exists(path("score.json")), any) << text;
    fs::remove(path("score.json"));
  }
  write_file(path("short.jsonl"), "{\"output\": \"\"}\n");
  EXPECT_EQ(verify("good.jsonl", "short.jsonl").code, 1);
  EXPECT_EQ(verify("good.jsonl", "missing.jsonl").code, 1);
  EXPECT_EQ(verify("good.jsonl", "answers.jsonl").code, 0);
}

TEST_F(Program, PathsThatCannotBeLookedAtAreNamed) {
  const std::string endless(5000, 'x');
  for (const std::string& words :
       {"eval --model m --data d --json " + endless, "eval --model ./" + endless + " --data d",
        "describe ./" + endless, "export --model quick-planning-mgdm --out " + endless,
        "train '" MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml' evaluation.count=0 --out " +
            endless}) {
    const Outcome outcome = mgdm(words, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'");
    EXPECT_EQ(outcome.code, 1) << words;
    EXPECT_MENTIONS(outcome.err, "File name too long");
    EXPECT_EQ(outcome.err.find("filesystem error"), std::string::npos) << outcome.err;
  }
}

TEST_F(Program, AFailedWriteIsAnErrorAndLeavesNothing) {
  EXPECT_EQ(mgdm("generate planning --out " + path("no/such/folder.jsonl")).code, 1);
  EXPECT_EQ(mgdm("generate planning --out " + path(".")).code, 1);
  if (fs::exists("/dev/full")) {
    const Outcome outcome = mgdm("generate planning --count 100000 --out /dev/full");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_MENTIONS(outcome.err, "No space left");
  }
}

TEST_F(Program, OneSignalEndsAWaitForInput) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string verify = "exec '" MGDM_PROGRAM "' verify planning --predictions x --data ";
  const auto ends = [&](const std::string& words, int signal) {
    BackgroundProcess process(verify + words, path("err"));
    ASSERT_TRUE(BackgroundProcess::wait_until(30, [&] { return process.handles(signal); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    process.send(signal);
    EXPECT_EQ(process.wait(10), 130) << words << signal << read_file(path("err"));
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ends(pipe, signal);  // nobody writes
  const int writer = ::open(pipe.c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {  // somebody does, but not to the end
    ends(pipe, signal);
    ends("- <'" + pipe + "'", signal);
  }
  ::close(writer);
}

TEST_F(Program, AnInterruptedEvaluationTellsWhatItHas) {
  ASSERT_EQ(mgdm("generate planning --nodes 4 --count 30000 --out " + path("t.jsonl")).code, 0);
  BackgroundProcess process("MGDM_MODELS='" MGDM_SOURCE_DIR "/models' exec '" MGDM_LIGHT_PROGRAM
                            "' eval --model quick-planning-mgdm --batch 8 --data " +
                                path("t.jsonl") + " --json " + path("score.json") + " >" +
                                path("out"),
                            path("err"));
  ASSERT_TRUE(BackgroundProcess::wait_until(
      30, [&] { return fs::exists(path("err")) && fs::file_size(path("err")) > 0; }));
  std::this_thread::sleep_for(std::chrono::seconds(2));  // for the first batches
  process.send(SIGINT);
  EXPECT_EQ(process.wait(10), 130) << read_file(path("err"));
  EXPECT_MENTIONS(read_file(path("out")), "interrupted: this is about the first ");
  EXPECT_MENTIONS(read_file(path("out")), " of 30000 puzzles; no file is written\n| planning ");
  EXPECT_FALSE(fs::exists(path("score.json")));
}

TEST_F(Program, InterruptLeavesNoHalfWrittenFile) {
  const std::string out = path("big.jsonl");
  write_file(out, "what was there before\n");
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(MGDM_PROGRAM, "mgdm", "generate", "countdown-6", "--count", "100000000", "--quiet",
            "--out", out.c_str(), nullptr);
    ::_exit(127);
  }
  while (files() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(read_file(out), "what was there before\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Program, LabelsPuzzlesAndChecksLabels) {
  ASSERT_EQ(mgdm("generate countdown-4 --count 50 --out " + path("labels.jsonl")).code, 0);
  ASSERT_EQ(mgdm("generate countdown-4 --count 50 --out " + path("puzzles.txt")).code, 0);
  for (const std::string name : {"labels.jsonl", "puzzles.txt"}) {
    const Outcome outcome = mgdm("label " + path(name) + " --out " + path("made.jsonl"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_file(path("made.jsonl")), read_file(path("labels.jsonl")));
  }
  write_file(path("mixed.jsonl"),
             "{\"input\": \"1,2,3,6\", \"output\": \"=6\"}\n"
             "{\"input\": \"1,1,1,99\"}\n{\"input\": \"1,2,3,7\"}\n");
  const Outcome mixed = mgdm("label " + path("mixed.jsonl"));
  EXPECT_EQ(mixed.code, 1);
  EXPECT_MENTIONS(mixed.err, "mixed.jsonl:1: ");
  EXPECT_MENTIONS(mixed.err, "mixed.jsonl:2: '1,1,1,99' has no solution in whole numbers");
  EXPECT_MENTIONS(mixed.err,
                  "countdown-3: 0 labels were right, 1 filled in, 1 wrong ones replaced, 1 puzzles "
                  "without a solution left out\n");
  EXPECT_EQ(split(mixed.out, '\n').size(), 3u);
  EXPECT_EQ(mgdm("label " + path("labels.jsonl") + " --out x.csv").code, 2);
  ASSERT_EQ(mgdm("generate sudoku --count 3 --out " + path("grids.csv")).code, 0);
  ASSERT_EQ(mgdm("label " + path("grids.csv") + " --out " + path("solved.csv")).code, 0);
  EXPECT_EQ(read_file(path("solved.csv")), read_file(path("grids.csv")));
}

}  // namespace
}  // namespace mgdm
