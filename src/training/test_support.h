// A run so small that a step takes a millisecond: planning puzzles of three nodes, one block.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "data/prepare_data.h"
#include "distributed/process_group.h"
#include "formats/test_support.h"
#include "nn/model.h"
#include "objectives/objective.h"
#include "training/run_folder.h"
#include "training/train.h"

namespace mgdm::training {

// Rows of `length` tokens; 0: as long as the longest.
inline data::PreparedData small_data(std::int64_t length = 0) {
  data::DataSettings settings;
  settings.length = length;
  settings.count = 64;
  settings.task = {"nodes=3"};
  settings.held_out = 8;
  settings.threads = 1;
  return data::prepare_data("planning", settings, 1);
}

inline nn::ModelSettings small_model(const data::PreparedData& data) {
  nn::ModelSettings settings;
  settings.layers = 1;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = data.train.length();
  settings.vocabulary = data.vocabulary.size();
  return settings;
}

inline std::unique_ptr<objectives::Objective> small_objective(
    const data::PreparedData& data, objectives::Settings settings = {},
    const nn::Parameters* parameters = nullptr) {
  settings.vocabulary = data.vocabulary.size();
  return objectives::make_objective(settings, parameters);
}

inline TrainingSettings small_training() {
  TrainingSettings settings;
  settings.batch = 8;
  settings.steps = 6;
  settings.log_every = 2;
  settings.device = "cpu";
  return settings;
}

// Everything that train() needs, in a folder that goes away with the test.
struct SmallRun {
  std::filesystem::path train(bool resume = false) {
    RunFolder folder(path(), resume);
    if (!resume) folder.write_config("");
    if (!resume) model = nn::make_model(network, 1);
    objective = small_objective(data, minimised, &model->parameters());
    return training::train({.model = *model,
                            .objective = *objective,
                            .data = data,
                            .optimizer = optimizer,
                            .training = training,
                            .seed = 1,
                            .about = {},
                            .group = group,
                            .folder = &folder,
                            .resume = resume,
                            .quiet = quiet,
                            .on_evaluate = on_evaluate,
                            .on_progress = on_progress});
  }

  std::filesystem::path path() const { return temporary.path() / name; }

  // The steps at which `metric` was measured, in the order of the file.
  std::vector<std::int64_t> measured(const std::string& metric) const {
    std::vector<std::int64_t> steps;
    const std::string text = read_file(path() / "metrics.jsonl");
    for (const std::string_view line : split(text, '\n'))
      if (line.find('"' + metric + '"') != std::string_view::npos)
        steps.push_back(parse_int(line.substr(8, line.find(',') - 8)).value());  // {"step":12,
    return steps;
  }

  formats::TemporaryFolder temporary;
  std::string name = "run";
  data::PreparedData data = small_data();
  nn::ModelSettings network = small_model(data);
  objectives::Settings minimised;
  std::unique_ptr<nn::Model> model;
  std::unique_ptr<objectives::Objective> objective = small_objective(data);
  distributed::ProcessGroup group{c10::Device(c10::kCPU)};
  OptimizerSettings optimizer;
  TrainingSettings training = small_training();
  bool quiet = true;
  std::function<Metrics(std::int64_t)> on_evaluate;
  spec::OnProgress on_progress;
};

}  // namespace mgdm::training
