// A model's folder for people.
#pragma once

#include <filesystem>
#include <string>

namespace mgdm::model_files {

// What is in the folder, as Markdown: a few words, then settings, card, tensors.
std::string describe(const std::filesystem::path& folder);

// In a line: "sudoku, mgdm, looped, 1,609,984 parameters". What is wrong with a folder that cannot
// be read.
std::string describe_shortly(const std::filesystem::path& folder);

}  // namespace mgdm::model_files
