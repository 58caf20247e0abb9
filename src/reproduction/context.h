// The settings of a reproduction, and the interface to work that needs LibTorch.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evaluation/loss_table.h"
#include "spec/recipe.h"

namespace mgdm::reproduction {

// The work that needs LibTorch.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;

  // Trains a recipe that was read from the request's file and overrides.
  virtual void train(const spec::Recipe& recipe, const spec::RunRequest& request) = 0;
  // The measured seconds of a training step of the recipe on this machine.
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
  std::function<double()> clock;  // seconds since any time; empty: the real clock
  bool quiet = false;
  Workers* workers = nullptr;  // none in a program without LibTorch
};

// The seconds since its construction, by the context's clock.
class Stopwatch {
 public:
  explicit Stopwatch(const Context& context);
  double seconds() const { return clock_() - began_; }

 private:
  std::function<double()> clock_;
  double began_;
};

// The rest of the budget since its construction.
class TimeLeft {
 public:
  explicit TimeLeft(const Context& context) : spent_(context), budget_(context.budget) {}
  double seconds() const;  // at least 0; infinite without a budget

 private:
  Stopwatch spent_;
  double budget_;
};

// The file of recipes/NAME.toml (spec::find_recipe). Error when there is none.
std::string recipe_file(const std::string& name);

// A recipe's path for people: "recipes/paper/countdown-4-tiny-ar.toml".
std::string recipe_words(const std::string& name);

// The training steps of a recipe; 0 if its length is given in minutes.
std::int64_t planned_steps(const spec::Recipe& recipe);

}  // namespace mgdm::reproduction
