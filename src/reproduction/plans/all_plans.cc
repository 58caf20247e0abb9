#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "reproduction/plan.h"

namespace mgdm::reproduction {

const std::vector<Plan>& plans() {
  static const std::vector<Plan> kPlans{shipped_plan(),
                                        shipped_training_plan(),
                                        shipped_passes_plan(),
                                        shipped_loops_plan(),
                                        shipped_errors_plan(),
                                        planning_plan(),
                                        planning_sizes_plan(),
                                        planning_data_plan(),
                                        planning_data_accuracy_plan(),
                                        hard_subgoal_plan(),
                                        countdown_plan(),
                                        game24_plan(),
                                        sudoku_sat_plan(),
                                        ablation_plan(),
                                        convergence_plan(),
                                        speed_plan(),
                                        errors_plan(),
                                        reweighting_plan(),
                                        scaling_plan(),
                                        predictions_plan(),
                                        tasks_plan(),
                                        statistics_plan(),
                                        sizes_plan()};
  return kPlans;
}

Plan with_rows(const Plan& plan) {
  Plan filled = plan;
  if (plan.rows_of_models) filled.rows = plan.rows_of_models(shipped_models());
  return filled;
}

const Plan& find_plan(const std::string& name) {
  std::vector<std::string> names;
  for (const Plan& plan : plans()) {
    if (plan.frame.name == name) return plan;
    names.push_back(plan.frame.name);
  }
  throw UsageError(fmt::format("there is no plan {}", in_quotes(name)), joined_or(names),
                   did_you_mean(name, names));
}

}  // namespace mgdm::reproduction
