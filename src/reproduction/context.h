// Where reproductions look and write, and what the program can do.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "spec/recipe.h"

namespace mgdm::reproduction {

struct TrainingOrder {
  std::string recipe;  // a file
  std::vector<std::string> overrides;
  std::filesystem::path out;
  bool resume = false;
  int threads = 0;
  bool quiet = false;
  std::function<void()> on_begin = {};  // when it is trained by these, and not before
};

// mgdm eval --losses: of a model's folder on the first puzzles of a file, into a JSON file.
struct LossOrder {
  std::string model, data, json, device;
  std::int64_t limit = 0;  // puzzles; 0 = all
  int threads = 0;
  bool quiet = false;
  std::int64_t levels = 20, samples = 1;  // of noise; noised copies of every puzzle at each
};

// What the half of the program with LibTorch adds; empty where there is none.
struct Trainer {
  std::function<void(const TrainingOrder& order)> train;
  std::function<double(const spec::Recipe& recipe)> seconds_per_step;  // here, measured
  std::function<void(const LossOrder& order)> losses;
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
  Trainer trainer;
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

// recipes/NAME.toml here or in $MGDM_RECIPES (spec::find_recipe). An Error when it is in neither.
std::string recipe_file(const std::string& name);

// The same for people: "recipes/paper/countdown-4-tiny-ar.toml".
std::string recipe_words(const std::string& name);

// The steps that a recipe trains; 0 when minutes decide.
std::int64_t planned_steps(const spec::Recipe& recipe);

}  // namespace mgdm::reproduction
