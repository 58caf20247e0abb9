// Describes a model's folder for people.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace mgdm::model_files {

// Markdown: a few words, then tables of settings, card, files and tensors. An Error when a file
// differs from its checksum. No line is longer than `columns`, where that can be.
std::string describe(const std::filesystem::path& folder, std::size_t columns = 100);

// A line for people who load a model whose files cannot be checked for damage; else empty.
std::string unchecked_note(const std::filesystem::path& folder);

// One line: "sudoku, mgdm, looped, 1,609,984 parameters", or what is wrong with a folder that
// cannot be read.
std::string describe_shortly(const std::filesystem::path& folder);

}  // namespace mgdm::model_files
