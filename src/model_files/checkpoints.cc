#include "model_files/checkpoints.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/checksums.h"

namespace mgdm::model_files {
namespace {

namespace fs = std::filesystem;

// "runs/7/" names the same folder as "runs/7", but has no name to put a suffix to.
fs::path without_slash(const fs::path& path) {
  std::error_code failure;
  const fs::path normal = fs::absolute(path, failure).lexically_normal();
  if (failure) throw Error(fmt::format("cannot write {}: {}", path.string(), failure.message()));
  return normal.has_filename() ? normal : normal.parent_path();
}

[[noreturn]] void fail(const fs::path& path) {
  const std::string reason = std::strerror(errno);
  throw Error(fmt::format("cannot write {}: {}", path.string(), reason));
}

void rename_or_fail(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail(to);
}

// New names reach the disk when the folder that holds them does.
void flush(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

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

AtomicFolder::AtomicFolder(const fs::path& target) : target_(without_slash(target)) {
  std::error_code failure;
  const bool replaceable = !fs::exists(target_, failure) ||
                           fs::exists(target_ / "config.json", failure) ||
                           (fs::is_directory(target_, failure) && fs::is_empty(target_, failure));
  if (!replaceable)
    throw Error(fmt::format("{}: exists and is not a checkpoint", target.string()),
                "a new name, an empty folder, or a checkpoint to replace");
  temporary_ = temporary_name(target_.string());
  fs::create_directories(temporary_, failure);
  if (failure) throw Error(fmt::format("cannot create {}: {}", target.string(), failure.message()));
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  formats::write_checksums(temporary_);
  flush(temporary_);
  // Swapping the two names at once leaves no moment without a complete folder; file systems that
  // cannot do it get two renames, and the older folder survives a crash between them as *.old.
  std::error_code ignored;
  if (!fs::exists(target_, ignored)) {
    rename_or_fail(temporary_, target_);
    temporary_.clear();
  } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                         RENAME_EXCHANGE) != 0) {
    fs::path old = target_;
    old += fmt::format(".{}.old", ::getpid());
    rename_or_fail(target_, old);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      const int reason = errno;
      std::rename(old.c_str(), target_.c_str());
      errno = reason;
      fail(target_);
    }
    temporary_ = old;
  }
  flush(target_.parent_path());
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  temporary_.clear();
}

}  // namespace mgdm::model_files
