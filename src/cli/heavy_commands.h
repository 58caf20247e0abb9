// The commands that need LibTorch, as both programs list them.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace mgdm::cli {

// Of a command that needs LibTorch: one line.
std::string about_heavy(const std::string& name);

// For a program without LibTorch: every one of them, saying how to get the program that has it.
std::vector<Command> missing_commands();

}  // namespace mgdm::cli
