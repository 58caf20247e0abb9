#include "inference/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "model_files/adapter.h"
#include "model_files/checkpoints.h"

namespace mgdm::inference {
namespace {

namespace fs = std::filesystem;

// PEFT's folders have no config.json.
bool is_model(const fs::path& folder) {
  return is_there(folder / "config.json") || model_files::is_adapter(folder);
}

bool is_path(const std::string& name) { return name.find('/') != name.npos; }

// What may not be looked at is not among the places for names: a service often works in a folder
// that is somebody else's.
template <class Look>
auto if_allowed(Look look) {
  return attempt(look, [](const Error&) { return decltype(look()){}; });
}

std::vector<fs::path> model_places(const fs::path& given) {
  std::vector<fs::path> folders = own_folders("models", given);
  folders.emplace_back("models");
  return folders;
}

}  // namespace

std::map<std::string, std::string> named_models(const fs::path& given) {
  std::map<std::string, std::string> models;  // of two with one name the first counts
  for (const fs::path& place : model_places(given))
    for (const fs::path& folder : if_allowed([&] { return files_in(place); }))
      if (if_allowed([&] { return is_model(folder); }))
        models.emplace(folder.filename().string(), folder.string());
  return models;
}

std::string find_model(const std::string& name, const fs::path& given) {
  const auto look = [&](const auto& at) { return is_path(name) ? at() : if_allowed(at); };
  if (look([&] { return is_model(name); })) return name;
  if (const auto newest = look([&] { return model_files::newest_checkpoint(name); })) {
    const auto newer = model_files::newer_incomplete(name);
    if (!newer) return newest->string();
    throw Error(
        fmt::format("{} is the folder of a run, and its newest checkpoint is incomplete", name),
        "a model",
        fmt::format("{} ({} is newer, but incomplete)", newest->string(), newer->string()));
  }
  const std::map<std::string, std::string> known = named_models(given);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const char* const folder_of_one = "a folder with config.json and model.safetensors";
  if (look([&] { return is_there(name); }))
    throw Error(fmt::format("there is no config.json in {}", name), folder_of_one);
  if (is_path(name)) throw Error(fmt::format("there is no folder {}", name), folder_of_one);
  std::vector<std::string> names, places;
  for (const auto& [each, folder] : known) names.push_back(each);
  for (const fs::path& place : model_places(given))
    if (std::ranges::find(places, place.string()) == places.end()) places.push_back(place.string());
  const std::string meant = did_you_mean(name, names);
  throw Error(fmt::format("there is no model {} in {}", in_quotes(name), joined_or(places)),
              names.empty() ? folder_of_one : "a checkpoint folder, or " + joined_or(names),
              meant.empty() ? "MGDM_MODELS=FOLDER names a folder of models" : meant);
}

}  // namespace mgdm::inference
