// A partial evaluation (its budget was used up) as JSON, so that the next call can continue it.
#pragma once

#include "evaluation/evaluate.h"
#include "reproduction/table.h"

namespace mgdm::reproduction {

Json begun_json(const evaluation::Evaluation& cut);

// Empty if the JSON is damaged: everything is then measured again.
evaluation::Begun read_begun(const Json& json);

}  // namespace mgdm::reproduction
