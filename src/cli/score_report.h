// A score as people and as programs read it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tasks/score.h"

namespace mgdm::cli {

// Both accuracies, the error categories, accuracy per planning distance: Markdown.
std::string score_text(const std::string& task, const tasks::Score& score);

// The same as one JSON object: task, n, accuracy, accuracy_paper (0..1), stderr, errors,
// errors_by_place, accuracy_by_planning_distance, then `more` numbers, settings, version,
// git_revision.
std::string score_json(const std::string& task, const tasks::Score& score,
                       const std::vector<std::pair<std::string, double>>& more = {},
                       const std::map<std::string, std::string>& settings = {});

}  // namespace mgdm::cli
