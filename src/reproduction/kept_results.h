// A cache of results in OUT/cells. The key of a result is everything that determines it, so a
// repeated plan, or another plan with the same cell, reuses it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "evaluation/evaluate.h"
#include "reproduction/table.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {

// The identity of a model: a retrained model differs from its predecessor in the same folder.
std::string identity(const Trained& trained);

// The file of the result with that key, which may not exist yet.
std::filesystem::path kept_file(const Context& context, const std::string& key);

// None if the file is missing or damaged: the result is then measured again.
std::optional<Json> read_kept(const std::filesystem::path& file);

void keep(const std::filesystem::path& file, const Json& result);

// A partial evaluation (its budget was used up) as JSON, so that the next call can continue it.

Json begun_json(const evaluation::Evaluation& cut);

// Empty if the JSON is damaged: everything is then measured again.
evaluation::Begun read_begun(const Json& json);

}  // namespace mgdm::reproduction
