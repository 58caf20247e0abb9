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
