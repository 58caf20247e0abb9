#include "base/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

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
  // weakly_canonical() leaves a relative name if no part of it exists.
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

fs::path program_file() {
  std::error_code failed;
  const fs::path file = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path() : file;
}

fs::path checkout() {
  const fs::path builds = program_file().parent_path().parent_path();
  const fs::path folder = builds.parent_path();
  std::error_code failed;
  const bool is_one =
      builds.filename() == "build" && fs::exists(folder / "scripts/build.sh", failed);
  return is_one ? folder : fs::path();
}

std::vector<fs::path> own_folders(const std::string& kind, const fs::path& given) {
  std::string variable = "MGDM_";
  for (const char letter : kind)
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  const char* const named = std::getenv(variable.c_str());
  const bool is_named = named != nullptr && *named != '\0';
  std::vector<fs::path> folders;
  if (is_named) folders.emplace_back(named);
  if (!given.empty()) folders.push_back(given);
  if (const fs::path source = checkout(); !is_named && !source.empty())
    folders.push_back(source / kind);
  if (const fs::path program = program_file(); !program.empty())
    folders.push_back(program.parent_path().parent_path() / "share/mgdm" / kind);
  return folders;
}

}  // namespace mgdm
