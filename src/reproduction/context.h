// Where reproductions look and write, and what the program can do.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evaluation/loss_table.h"
#include "spec/run_request.h"

namespace mgdm::reproduction {

// What reproductions need LibTorch for.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;

  // Trains by a recipe that was read from the request's file and overrides.
  virtual void train(const spec::Recipe& recipe, const spec::RunRequest& request) = 0;
  // Seconds that a training step of the recipe takes on this machine, measured.
  virtual double seconds_per_step(const spec::Recipe& recipe) = 0;
  virtual evaluation::LossProfile measure_losses(const evaluation::LossRequest& request) = 0;
};

struct Context {
  std::filesystem::path out = "results", runs = "runs";
  std::filesystem::path files;                 // of test files that others released; may be empty
  std::map<std::string, std::string> weights;  // folders by names such as "llama-7b" (weights.h)
  std::string device = "auto";
  int threads = 0;
  std::int64_t limit = 0;         // puzzles per cell; 0 = all
  double budget = 0;              // seconds for everything in a table; 0 = no limit
  std::function<double()> clock;  // seconds since some time; where there is none, the real ones
  bool quiet = false;
  Workers* workers = nullptr;  // none in a program without LibTorch
};

// How long ago this was made, by the context's clock.
class Stopwatch {
 public:
  explicit Stopwatch(const Context& context);
  double seconds() const { return clock_() - began_; }

 private:
  std::function<double()> clock_;
  double began_;
};

// What is left of the budget since this was made, whatever was done meanwhile.
class TimeLeft {
 public:
  explicit TimeLeft(const Context& context) : spent_(context), budget_(context.budget) {}
  double seconds() const;  // not below 0; without a budget without end

 private:
  Stopwatch spent_;
  double budget_;
};

// The file of recipes/NAME.toml (spec::find_recipe). Error when there is none.
std::string recipe_file(const std::string& name);

// The same for people: "recipes/paper/countdown-4-tiny-ar.toml".
std::string recipe_words(const std::string& name);

// The steps that a recipe trains; 0 when minutes decide.
std::int64_t planned_steps(const spec::Recipe& recipe);

}  // namespace mgdm::reproduction
