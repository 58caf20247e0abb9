#include "cli/full_program.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/paths.h"

namespace mgdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "mgdm-train";

fs::path beside() { return program_file().parent_path() / kName; }

fs::path in_checkout() { return checkout() / "build/release" / kName; }

// Builds mgdm-train by scripts/build.sh, which returns at once when no source has changed.
void build() {
  const std::string script = checkout() / "scripts/build.sh";
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(script.c_str(), script.c_str(), "--program", "full", nullptr);
    ::_exit(127);
  }
  int status = -1;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  stop_if_interrupted();
  if (status != 0)
    throw Error(fmt::format("{} could not be built", kName), "", "read the messages above");
}

// Debian's OpenBLAS treats processors newer than itself as one of 2004; training is then three
// times slower.
void name_processor() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) ::setenv("OPENBLAS_CORETYPE", "SkylakeX", /*replace=*/0);
#endif
}

}  // namespace

bool full_program_is_built() { return is_there(beside()) || is_there(in_checkout()); }

bool has_full_program() { return is_there(beside()) || !checkout().empty(); }

void become_full_program(char** argv) {
  fs::path program = beside();
  if (!is_there(program)) {
    if (checkout().empty()) return;
    build();
    program = in_checkout();
  }
  name_processor();
  ::execv(program.c_str(), argv);
  throw Error(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace mgdm::cli
