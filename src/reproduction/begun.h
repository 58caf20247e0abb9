// An evaluation that a budget cut short, as JSON beside its result, so that the next call goes on
// with it.
#pragma once

#include "evaluation/evaluate.h"
#include "reproduction/table.h"

namespace mgdm::reproduction {

Json begun_json(const evaluation::Evaluation& cut);

// Empty where it is damaged: all is then measured again.
evaluation::Begun read_begun(const Json& json);

}  // namespace mgdm::reproduction
