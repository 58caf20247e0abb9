// `mgdm reproduce`, which trains only in a program that can.
#pragma once

#include "cli/command.h"
#include "reproduction/context.h"

namespace mgdm::cli {

Command reproduce_command(const reproduction::Trainer& trainer);

// "20m", "90s", "1.5h" in seconds. UsageError for anything else.
double parse_duration(const std::string& text);

}  // namespace mgdm::cli
