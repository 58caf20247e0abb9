// Ctrl-C, SIGTERM and SIGHUP (the terminal was closed) set a flag that long work checks between two
// items.
//
// One request often arrives as two signals: `timeout` signals the program and then its group, a
// shell its whole job. Signals within a second therefore count as one request. A second request
// ends the process at once.
#pragma once

namespace mgdm {

// What a second request does. kNoted is for a program that must end its child processes first.
enum class SecondInterrupt { kEnds, kNoted };

// A SIGHUP that is ignored (nohup) stays so. System calls that wait are interrupted.
void catch_interrupts(SecondInterrupt second = SecondInterrupt::kEnds);

bool interrupted();

// Whether a second request was noted.
bool interrupted_again();

// The signal of the first request; 0 when there was none.
int interrupt_signal();

// Throws Interrupted when the flag is set.
void stop_if_interrupted();

// Waits until `descriptor` has something to read or is at its end; Interrupted when a signal comes
// first.
void wait_to_read(int descriptor);

}  // namespace mgdm
