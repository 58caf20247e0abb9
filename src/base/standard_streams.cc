#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "base/interrupt.h"

namespace mgdm {

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int wrong_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    ::open("/dev/null", wrong_way);  // gets the lowest number that is free, which is this one
  }
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  stop_if_interrupted();
  throw Error("cannot write to standard output");
}

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }

void say_text(std::FILE* out, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out);
  if (out != stdout) std::fflush(out);
}

}  // namespace mgdm
