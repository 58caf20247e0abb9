// The folder of a training run: its settings, its measurements and its checkpoints.
//
//   runs/NAME/
//     config.toml           the resolved recipe
//     env.json              program version, git revision, device, recipe, processes, threads
//     sittings.jsonl        the same for every time that training began or went on
//     metrics.jsonl         the truth: one line per measurement
//     events.out.tfevents.* the same for TensorBoard, one for each sitting; never rewound
//     checkpoint-STEP/      a model folder + what training_state.h adds to it, DONE last
//     best                  a link to the best checkpoint, see judge_by()
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "formats/tensorboard.h"
#include "model_files/checkpoints.h"

namespace mgdm::training {

using Metrics = std::vector<std::pair<std::string, double>>;

class RunFolder {
 public:
  // Opens or creates the folder. An Error when it already holds a run and `resume` is false, or
  // holds none and `resume` is true.
  RunFolder(std::filesystem::path path, bool resume);

  // Throws the same Error, and creates nothing.
  static void check(const std::filesystem::path& path, bool resume);

  void write_config(const std::string& toml) const;
  void write_environment(const std::map<std::string, std::string>& facts) const;
  // Reads env.json; empty if it cannot be read.
  std::map<std::string, std::string> environment() const;

  // Adds a line to sittings.jsonl, without lines that an earlier process was killed in: what goes
  // on at this step where, and with which settings changed.
  void log_sitting(std::int64_t step, const std::map<std::string, std::string>& facts,
                   const std::vector<std::string>& changes) const;

  // Adds a line to metrics.jsonl, and the same to TensorBoard's file. An Error (the disk is full)
  // names the newest checkpoint.
  void log(std::int64_t step, const Metrics& metrics);

  // The last step at which `name` was logged.
  std::optional<std::int64_t> last_step_with(const std::string& name) const;

  // From here on `metric` decides which checkpoint is the best: the smallest loss, or the largest
  // of any other metric. What was measured of it so far is read.
  void judge_by(const std::string& metric);

  // The complete checkpoint at whose step the metric was best, and its value there.
  struct Best {
    std::filesystem::path checkpoint;
    double value = 0;
  };
  std::optional<Best> best_checkpoint() const;

  // How many steps passed between the best and the latest measurement of the metric.
  std::int64_t steps_without_improvement() const;

  // Removes measurements after `step`, from which training continues.
  void rewind(std::int64_t step);

  std::optional<std::filesystem::path> newest_checkpoint() const {
    return model_files::newest_checkpoint(path_);
  }

  std::optional<std::filesystem::path> newer_incomplete_checkpoint() const {
    return model_files::newer_incomplete(path_);
  }

  // Calls fill(temporary folder), marks the checkpoint complete, gives it its name, and removes all
  // but the newest `keep` and the best. If anything fails (the disk is full) older checkpoints
  // stay, and the Error names the newest.
  std::filesystem::path write_checkpoint(
      std::int64_t step, std::int64_t keep,
      const std::function<void(const std::filesystem::path&)>& fill) const;

 private:
  void remove_leftovers() const;
  void link_best() const;
  bool better(double one, double other) const;
  std::string resume_hint() const;

  std::filesystem::path path_;
  std::unique_ptr<FileLock> lock_;  // two processes that write here would spoil it
  std::unique_ptr<formats::EventWriter> events_;
  std::string judge_;                      // the metric
  std::map<std::int64_t, double> scores_;  // its values by step
};

}  // namespace mgdm::training
