// A forked child for tests.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace mgdm {

// Whether `work`, done in a forked child, comes to an end in time and gives true.
inline bool in_a_child(const std::function<bool()>& work) {
  constexpr unsigned kSeconds = 60;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSeconds);  // ends a child that hangs
    bool well = false;
    try {
      well = work();
    } catch (...) {  // nothing of the test program may run on in the child
    }
    ::_exit(well ? 0 : 1);
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace mgdm
