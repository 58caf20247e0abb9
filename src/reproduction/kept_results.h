// Results that are measured once: they lie in OUT/cells, each under all that decides it, and a plan
// that is run again, or another plan that asks for the same, takes them from there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reproduction/table.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {

// What tells a model from others: one that was trained anew is another, though its folder has the
// same name.
std::string identity(const Trained& trained);

// Where the result of that key is or would be.
std::filesystem::path kept_file(const Context& context, const std::string& key);

// None where there is none, or the file is damaged: it is then measured again.
std::optional<Json> read_kept(const std::filesystem::path& file);

void keep(const std::filesystem::path& file, const Json& result);

}  // namespace mgdm::reproduction
