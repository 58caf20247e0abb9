// Ctrl-C and SIGTERM as a flag that long work looks at between two items.
#pragma once

namespace mgdm {

// The first signal sets the flag; a second one ends the process at once.
void catch_interrupts();

bool interrupted();

// Throws Interrupted when the flag is set.
void stop_if_interrupted();

}  // namespace mgdm
