// What an evaluation measured, as `mgdm eval` writes it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "evaluation/evaluate.h"

namespace mgdm::evaluation {

// score_json(), forward_passes, samples_per_second; symmetries where several of them voted, so that
// nobody takes it for what the model alone does. Restarts stand apart, in best_of_tries:
// what a single try reaches is never mixed with what a verifier picks.
nlohmann::ordered_json evaluation_json(const std::string& task,
                                       const evaluation::Evaluation& result, std::int64_t tries);

}  // namespace mgdm::evaluation
