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

}  // namespace mgdm
