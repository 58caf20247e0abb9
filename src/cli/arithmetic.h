// The flag --arithmetic of commands that let a model answer.
#pragma once

#include <string>

#include "config/settings.h"

namespace mgdm::cli {

inline void visit_arithmetic(config::Visitor& v, std::string& arithmetic) {
  v.field("arithmetic", arithmetic, "of products on a CPU: bf16 is faster, fp32 exact",
          config::one_of({"fp32", "bf16"}));
}

}  // namespace mgdm::cli
