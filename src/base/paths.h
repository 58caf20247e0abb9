// Questions about files and folders. What cannot be answered (no permission, a name that is too
// long) is an Error that says which path and what to do: std::filesystem's own exceptions are no
// words for people, and these calls throw none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mgdm {

bool is_there(const std::filesystem::path& path);

// There, and something else than a regular file: a device, a pipe, a folder.
bool is_special(const std::filesystem::path& path);

// The paths in a folder, sorted; none where there is no such folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// One name for a file, however it is written: absolute, links followed as far as it exists.
std::string full_name(const std::filesystem::path& path);

// A folder, and those above it, where they are not there yet.
void make_folder(const std::filesystem::path& folder);

// A file, or a folder with all that is in it; nothing when it is not there.
void remove_tree(const std::filesystem::path& path);

}  // namespace mgdm
