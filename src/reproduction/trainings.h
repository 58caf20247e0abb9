// What a plan has still to train, and training it.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

// The distinct evaluations of a plan, in its order, each by one of its cells.
std::vector<const Cell*> evaluations(const Plan& plan);

// Its distinct recipes, in its order.
std::vector<std::string> recipes_of(const Plan& plan);

// What a budget is spent on: training, and the rest for evaluating.
constexpr double kTrainingShare = 0.8;

// The seconds that each training of a plan gets of the budget; 0 without one. It stays the same
// while trainings come to their ends, so that a call that was interrupted is gone on with.
double seconds_for_each(const Plan& plan, const Context& context);

// The recipes that are not trained to their end, or with a budget not for those seconds, in the
// order of the plan. Those whose weights are missing (weights.h) are among them.
std::vector<std::string> missing_trainings(const Plan& plan, const Context& context);

// How long training one of them takes here, or what is left of it, by a few of its steps.
double training_seconds(const Context& context, const std::string& recipe);

// Trains one of them, or goes on with it. With a budget it takes about `seconds` in all, or is not
// begun where that is too little: then it says why.
std::string train(const Plan& plan, const Context& context, const std::string& recipe,
                  double seconds);

}  // namespace mgdm::reproduction
