// Queries and changes of files and folders. Failures (no permission, a name that is too long) are
// Errors that name the path and what to do, never exceptions of std::filesystem.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mgdm {

bool is_there(const std::filesystem::path& path);

// Whether the path exists and is not a regular file: a device, a pipe, a folder.
bool is_special(const std::filesystem::path& path);

// The paths in a folder, sorted; empty if the folder does not exist.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// The absolute path of a file with links resolved as far as it exists: equal for equal files.
std::string full_name(const std::filesystem::path& path);

// Makes a folder and its parents, if they do not exist.
void make_folder(const std::filesystem::path& folder);

// Removes a file, or a folder with its contents, if it exists.
void remove_tree(const std::filesystem::path& path);

// The locations of this program and of its own files.

// The file of this program, links resolved. Empty where the system does not tell.
std::filesystem::path program_file();

// The source folder in which this program was built, as FOLDER/build/PRESET/program. Empty for any
// other program.
std::filesystem::path checkout();

// The folders that may hold the program's own files of a kind ("models", "recipes"), in the order
// in which they are searched: $MGDM_MODELS or $MGDM_RECIPES; `given`; those of the checkout, unless
// the variable is set; PREFIX/share/mgdm/KIND of an installed program.
std::vector<std::filesystem::path> own_folders(const std::string& kind,
                                               const std::filesystem::path& given = {});

}  // namespace mgdm
