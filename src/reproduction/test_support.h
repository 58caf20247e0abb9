// What the tests of this room share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/paths.h"
#include "formats/test_support.h"
#include "reproduction/reproduce.h"

namespace mgdm::reproduction {

// Workers made of functions that a test sets.
struct FakeWorkers : Workers {
  void train(const spec::Recipe&, const spec::RunRequest& request) override { on_train(request); }
  double seconds_per_step(const spec::Recipe& recipe) override { return step_seconds(recipe); }
  evaluation::LossProfile measure_losses(const evaluation::LossRequest& request) override {
    return losses(request);
  }

  std::function<void(const spec::RunRequest&)> on_train = [](const spec::RunRequest&) {};
  std::function<double(const spec::Recipe&)> step_seconds = [](const spec::Recipe&) { return 0.5; };
  std::function<evaluation::LossProfile(const evaluation::LossRequest&)> losses;
};

// A folder of its own for results and runs, few puzzles, and workers that train nothing.
class Reproduction : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("MGDM_RECIPES", MGDM_SOURCE_DIR "/recipes", 1);
    ::setenv("MGDM_MODELS", MGDM_SOURCE_DIR "/models", 1);
    context_.out = folder_.path() / "results";
    context_.runs = folder_.path() / "runs";
    context_.limit = 12;
    context_.threads = 1;
    context_.quiet = true;
  }

  // A run that has come to a step, with the weights of a model that we ship.
  void make_run(const std::filesystem::path& run, const std::string& model, int step) const {
    const std::filesystem::path checkpoint = run / ("checkpoint-" + std::to_string(step));
    make_folder(run);
    std::filesystem::copy(MGDM_SOURCE_DIR "/models/" + model, checkpoint,
                          std::filesystem::copy_options::overwrite_existing |
                              std::filesystem::copy_options::recursive);
    write_file((checkpoint / "DONE").string(), "");
  }

  // Instead of training: a model that is trained already, at step 2000 after `seconds`. Nothing
  // takes time then, but what now_ is told.
  void train_by_copying(const std::string& model, double seconds = 480) {
    context_.workers = &workers_;
    workers_.on_train = [this, model, seconds](const spec::RunRequest& request) {
      requests_.push_back(request);
      make_run(request.out, model, 2000);
      if (request.on_begin) request.on_begin();
      spec::Recipe recipe = spec::read_recipe(request.recipe, request.overrides);
      write_file(request.out + "/config.toml", config::Fields(recipe).dump());
      write_file(request.out + "/metrics.jsonl",
                 "{\"step\": 2000, \"seconds\": " + std::to_string(seconds) + "}\n");
    };
    workers_.step_seconds = [](const spec::Recipe&) { return 0.5; };
    context_.clock = [this] { return now_; };
  }

  formats::TemporaryFolder folder_;
  Context context_;
  double now_ = 1000;
  FakeWorkers workers_;
  std::vector<spec::RunRequest> requests_;
};

// Two models on small planning puzzles.
inline Plan small_plan(const std::string& first, const std::string& second) {
  Plan plan{{"small", "A small plan", "nowhere"}};
  plan.frame.columns = {"1", "3"};
  plan.frame.chart = Chart::kLines;
  for (const std::string& model : {first, second}) {
    PlanRow row{model, {}};
    for (const int distance : {1, 3}) {
      Cell cell{.paper = 50 + distance, .model = model};
      cell.test = {
          .task = "planning", .from = TestSet::From::kGenerated, .options = {"nodes=4"}, .seed = 5};
      cell.quantity = Quantity::kAtDistance;
      cell.place = distance;
      row.cells.push_back(cell);
    }
    plan.rows.push_back(row);
  }
  return plan;
}

}  // namespace mgdm::reproduction
