#include "spec/checkpoints.h"

#include "base/paths.h"
#include "base/text.h"

namespace mgdm::spec {

namespace fs = std::filesystem;

std::map<std::int64_t, fs::path> checkpoints(const fs::path& folder) {
  std::map<std::int64_t, fs::path> found;
  for (const fs::path& path : files_in(folder)) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kCheckpointPrefix) || !is_there(path / kCheckpointDone)) continue;
    if (const auto step = parse_int(std::string_view(name).substr(kCheckpointPrefix.size())))
      found.emplace(*step, path);
  }
  return found;
}

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const auto found = checkpoints(folder);
  if (found.empty()) return std::nullopt;
  return found.rbegin()->second;
}

}  // namespace mgdm::spec
