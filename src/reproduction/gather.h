// Collects the contents of the folders of results and runs for the page.
#pragma once

#include <filesystem>

#include "reproduction/html_page.h"

namespace mgdm::reproduction {

// Tables of `mgdm reproduce` in the order of the plans, scores of `eval`, `verify` and `prompt` in
// any JSON file, runs of `train`. Other files are skipped.
Page gather(const std::filesystem::path& results, const std::filesystem::path& runs);

}  // namespace mgdm::reproduction
