#include "model_files/modeling_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "spec/kinds.h"

namespace mgdm::model_files {

void check_needs_modeling_file(const spec::ModelSettings& settings) {
  if (spec::architecture_kind(settings.architecture).family == spec::Family::kLooped) return;
  throw UsageError(
      fmt::format("a modelling file for architecture {}", in_quotes(settings.architecture)),
      "looped: transformers has the other architectures itself", "export without --transformers");
}

}  // namespace mgdm::model_files
