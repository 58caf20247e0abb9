// A score as Markdown and JSON.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "tasks/score.h"

namespace mgdm::evaluation {

// The text of the file: `result`, then "settings" (typed, without those that name files to write or
// silence the terminal), "version" and "git_revision".
std::string result_text(nlohmann::ordered_json result, const std::vector<config::Field>& settings);

// The stream of messages for people: standard output, or standard error if one of these results is
// printed to standard output.
std::FILE* for_people(std::initializer_list<std::string_view> results);

// Both accuracies, the error categories, accuracy by difficulty, as Markdown.
std::string score_text(const std::string& task, const tasks::Score& score);

// A score as a JSON object: task, n, accuracy, accuracy_paper (0..1), stderr, stderr_paper,
// errors, errors_by_place, errors_at_place, accuracy_by_planning_distance or _guesses; n_paper
// where it is not n.
nlohmann::ordered_json score_json(const std::string& task, const tasks::Score& score);

// n and both accuracies of a group of answers.
nlohmann::ordered_json tally_json(const tasks::Tally& tally);

// null where a metric does not apply.
nlohmann::ordered_json number_or_null(std::optional<double> value);

}  // namespace mgdm::evaluation
