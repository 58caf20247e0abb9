// Starts several processes of this program on one machine, with torchrun's variables.
#pragma once

#include <string>
#include <vector>

namespace mgdm::torch_commands {

// Runs the command in `count` processes and returns when all have succeeded. The output of the
// first is shown unless `quiet`, that of another only (its last lines) if it fails. When one fails
// the others are ended, and the Error names it and its exit status. Ctrl-C and SIGTERM are passed
// on and end in Interrupted; a second one ends all processes at once.
void launch(int count, const std::vector<std::string>& command, bool quiet);

}  // namespace mgdm::torch_commands
