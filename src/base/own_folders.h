// The locations of this program and of its own files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mgdm {

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
