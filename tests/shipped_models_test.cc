// The models in models/: what their cards claim, on fewer puzzles.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

const fs::path kShelf = fs::path(MGDM_SOURCE_DIR) / "models";

class ShippedModels : public Program {
 protected:
  nlohmann::json score(const std::string& model, const std::string& data) const {
    const std::string report = path(model + ".json");
    const Outcome outcome =
        mgdm("eval --quiet --device cpu --data " + data + " --json " + report + " --model " + model,
             "MGDM_MODELS='" + kShelf.string() + "'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(read_file(report));
  }
};

TEST_F(ShippedModels, HaveCardsAndAreSmall) {
  for (const auto& model : fs::directory_iterator(kShelf)) {
    const std::string card = read_file(model.path() / "README.md");
    for (const char* part : {"mgdm train recipes/", "mgdm eval --model ", "Revision ", "NVIDIA"})
      EXPECT_NE(card.find(part), std::string::npos) << model.path() << ": " << part;
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::directory_iterator(model)) bytes += file.file_size();
    const bool quick = model.path().filename().string().starts_with("quick-");
    EXPECT_TRUE(!quick || bytes <= 1'000'000) << model.path() << " has " << bytes;
  }
}

// Those that answer in about one pass.
TEST_F(ShippedModels, SolveTheirTasks) {
  for (const std::string task : {"sat-5", "sat-7", "sat-9", "countdown-3"}) {
    const std::string data = path(task + ".jsonl");
    ASSERT_EQ(mgdm("generate " + task + " --split test --count 60 --seed 7 --out " + data).code, 0);
    const nlohmann::json result = score(task, data);
    EXPECT_GE(result["accuracy"], 0.93) << result;
    EXPECT_LE(result["forward_passes"], 2) << result;
  }
}

// Formulas from files, which the model reads a clause a token.
TEST_F(ShippedModels, SolveDimacs) {
  const std::string puzzle =
      nlohmann::json::parse(mgdm("generate sat-7 --split test --count 1 --seed 7").out)["input"];
  std::string cnf;
  int clauses = 1;
  for (const char c : puzzle) {
    if (c == ',') continue;
    if (c == '/') {
      cnf += "0\n";
      ++clauses;
    } else {
      cnf += std::to_string(c <= '9' ? c - '0' : 'a' - c) + " ";  // 7 is x7, h its negation
    }
  }
  const std::string formula = "p cnf 7 " + std::to_string(clauses) + "\n" + cnf + "0\n";
  write_file(path("formula.cnf"), formula);
  for (const std::string& given : {"--input " + path("formula.cnf"), "'" + formula + "'"}) {
    const Outcome outcome =
        mgdm("solve --device cpu --model sat-7 " + given, "MGDM_MODELS='" + kShelf.string() + "'");
    EXPECT_EQ(outcome.code, 10) << outcome.err;
    EXPECT_NE(outcome.out.find("c verified, 1 pass\ns SATISFIABLE\nv "), std::string::npos)
        << outcome.out;
  }
}

TEST_F(ShippedModels, TheQuickPairShowsWhoCanLookAhead) {
  const std::string data = path("planning.jsonl");
  ASSERT_EQ(
      mgdm("generate planning --nodes 4 --split test --count 100 --seed 7 --out " + data).code, 0);
  const nlohmann::json diffusion = score("quick-planning-mgdm", data),
                       left_to_right = score("quick-planning-ar", data);
  EXPECT_GE(diffusion["accuracy"], 0.99) << diffusion;
  for (const auto& [distance, part] : left_to_right["accuracy_by_planning_distance"].items()) {
    EXPECT_GT(part["n"], 10) << distance;
    const bool must_look_ahead = distance >= "2";
    EXPECT_GE(part["accuracy"], must_look_ahead ? 0 : 0.95) << distance;
    EXPECT_LE(part["accuracy"], must_look_ahead ? 0.8 : 1) << distance;
  }
}

}  // namespace
}  // namespace mgdm
