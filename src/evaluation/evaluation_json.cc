#include "evaluation/evaluation_json.h"

#include "evaluation/score_report.h"

namespace mgdm::evaluation {

nlohmann::ordered_json evaluation_json(const std::string& task,
                                       const evaluation::Evaluation& result, std::int64_t tries) {
  nlohmann::ordered_json json = score_json(task, result.score);
  json["forward_passes"] = result.forward_passes;
  if (result.symmetries > 1) json["symmetries"] = result.symmetries;
  json["samples_per_second"] = result.samples_per_second;
  if (tries == 1) return json;
  const tasks::Tally& best = result.best.all;
  json["best_of_tries"] = {{"tries", tries},
                           {"accuracy", best.accuracy()},
                           {"accuracy_paper", number_or_null(best.accuracy_paper())},
                           {"stderr", best.standard_error()},
                           {"stderr_paper", number_or_null(best.standard_error_paper())},
                           {"forward_passes", result.best_forward_passes}};
  return json;
}

}  // namespace mgdm::evaluation
