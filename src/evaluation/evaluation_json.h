// The JSON of an evaluation, as `mgdm eval` writes it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "evaluation/evaluate.h"

namespace mgdm::evaluation {

// score_json(), forward_passes, samples_per_second; symmetries if several variants voted. The
// results of repeated tries are apart, in best_of_tries: a verifier chose among them.
nlohmann::ordered_json evaluation_json(const std::string& task,
                                       const evaluation::Evaluation& result, std::int64_t tries);

}  // namespace mgdm::evaluation
