// The flag --arithmetic of commands that let a model answer.
#pragma once

#include <string>

#include "config/settings.h"
#include "spec/model_card.h"

namespace mgdm::cli {

inline void visit_arithmetic(config::Visitor& v, std::string& arithmetic) {
  v.field("arithmetic", arithmetic,
          "of products on a CPU: fp32 is exact, bf16 faster, int8 smallest and mostly fastest; "
          "auto is what the model's card names",
          config::one_of(spec::arithmetic_choices()));
}

}  // namespace mgdm::cli
