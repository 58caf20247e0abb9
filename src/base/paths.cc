#include "base/paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path, const std::error_code& reason) {
  constexpr std::size_t kShown = 200;
  std::string hint;
  if (reason == std::errc::permission_denied)
    hint = "look at the permissions of it and of the folders above it";
  if (reason == std::errc::filename_too_long) hint = "a shorter name";
  throw Error(
      fmt::format("cannot {} {}: {}", what, shortened(path.string(), kShown), reason.message()),
      "a path that this user can reach", hint);
}

bool means_absent(const std::error_code& reason) {
  return reason == std::errc::no_such_file_or_directory || reason == std::errc::not_a_directory;
}

fs::file_status status_of(const fs::path& path) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (status.type() == fs::file_type::none) fail("look at", path, reason);
  return status;
}

}  // namespace

bool is_there(const fs::path& path) { return fs::exists(status_of(path)); }

bool is_special(const fs::path& path) {
  const fs::file_status status = status_of(path);
  return fs::exists(status) && !fs::is_regular_file(status);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code reason;
  for (fs::directory_iterator entry(folder, reason), end; !reason && entry != end;
       entry.increment(reason))
    found.push_back(entry->path());
  if (reason && !means_absent(reason)) fail("read", folder, reason);
  std::sort(found.begin(), found.end());
  return found;
}

std::string full_name(const fs::path& path) {
  std::error_code reason;
  // Of a name none of which exists weakly_canonical() would leave a relative one.
  fs::path name = fs::absolute(path, reason);
  if (!reason) name = fs::weakly_canonical(name, reason);
  if (reason) fail("look at", path, reason);
  return name.string();
}

void make_folder(const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason) fail("make the folder", folder, reason);
}

void remove_tree(const fs::path& path) {
  std::error_code reason;
  fs::remove_all(path, reason);
  if (reason) fail("remove", path, reason);
}

}  // namespace mgdm
