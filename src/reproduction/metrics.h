// What a training run measured on its way.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/svg_figure.h"

namespace mgdm::reproduction {

// One metric ("accuracy") of runs/NAME/metrics.jsonl over the steps; nothing where it was not
// measured. A last line that is cut off is passed over.
std::vector<formats::Curve::Point> read_metric(const std::filesystem::path& run,
                                               const std::string& name);

}  // namespace mgdm::reproduction
