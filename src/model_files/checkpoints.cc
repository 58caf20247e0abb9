#include "model_files/checkpoints.h"

#include "base/paths.h"
#include "base/text.h"

namespace mgdm::model_files {

namespace fs = std::filesystem;

std::optional<std::int64_t> checkpoint_step(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(kCheckpointPrefix)) return std::nullopt;
  const auto step = parse_int(std::string_view(name).substr(kCheckpointPrefix.size()));
  return step && *step >= 0 ? step : std::nullopt;
}

std::map<std::int64_t, fs::path> checkpoints(const fs::path& folder) {
  std::map<std::int64_t, fs::path> found;
  for (const fs::path& path : files_in(folder)) {
    const auto step = checkpoint_step(path);
    if (step && is_there(path / kCheckpointDone)) found.emplace(*step, path);
  }
  return found;
}

std::optional<fs::path> newer_incomplete(const fs::path& folder) {
  const auto complete = checkpoints(folder);
  std::int64_t newest = complete.empty() ? -1 : complete.rbegin()->first;
  std::optional<fs::path> found;
  for (const fs::path& path : files_in(folder))
    if (const auto step = checkpoint_step(path); step && *step > newest) {
      newest = *step;
      found = path;
    }
  return found;
}

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const auto found = checkpoints(folder);
  if (found.empty()) return std::nullopt;
  return found.rbegin()->second;
}

}  // namespace mgdm::model_files
