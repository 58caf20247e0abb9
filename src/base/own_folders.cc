#include "base/own_folders.h"

#include <cctype>
#include <cstdlib>

namespace mgdm {

namespace fs = std::filesystem;

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
