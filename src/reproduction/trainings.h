// The missing trainings of a plan, and running them.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

// The distinct evaluations of a plan, each as one of its cells, in its order.
std::vector<const Cell*> evaluations(const Plan& plan);

// The distinct recipes of a plan, in its order.
std::vector<std::string> recipes_of(const Plan& plan);

// The share of a budget for training; the rest is for evaluation.
constexpr double kTrainingShare = 0.8;

// The seconds of the budget for each training of a plan; 0 without a budget. It does not change
// when trainings finish, so that an interrupted call can be continued.
double seconds_for_each(const Plan& plan, const Context& context);

// The recipes whose training is not finished (with a budget: has not had its seconds), in the order
// of the plan, including those whose weights are missing (weights.h).
std::vector<std::string> missing_trainings(const Plan& plan, const Context& context);

// The seconds that the rest of a training would take, estimated from a few steps.
double training_seconds(const Context& context, const std::string& recipe);

// Trains a recipe or continues its training. With a budget it takes about `seconds` in all; if that
// is too little it does not start and returns the reason.
std::string train(const Plan& plan, const Context& context, const std::string& recipe,
                  double seconds);

}  // namespace mgdm::reproduction
