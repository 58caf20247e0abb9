// Several copies of this program on one machine that find each other by torchrun's variables.
#pragma once

#include <string>
#include <vector>

namespace mgdm::torch_commands {

// Runs the command in `count` processes and returns when all have ended well. The first one's
// output is shown, unless `quiet`; the last lines of another one only when it fails. When one fails
// the others are ended, and an Error names it and its exit status. Ctrl-C and SIGTERM are passed on
// (Interrupted when they have ended by it); a second one ends all at once.
void launch(int count, const std::vector<std::string>& command, bool quiet);

}  // namespace mgdm::torch_commands
