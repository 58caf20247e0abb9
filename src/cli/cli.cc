#include "cli/cli.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <system_error>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "compat/out_of_memory.h"

namespace mgdm::cli {
namespace {

std::vector<Command> commands() {
  return {tasks_command(),  generate_command(), verify_command(), train_command(),
          launch_command(), eval_command(),     solve_command(),  describe_command(),
          export_command(), bench_command()};
}

int complain(const char* what, int code) {
  fmt::print(stderr, "mgdm: {}\n", printable(what, "\n"));
  return code;
}

}  // namespace

int run(int argc, char** argv) {
  try {
    catch_interrupts();
    const int code = dispatch(commands(), {argv + 1, argv + argc});
    if (std::fflush(stdout) != 0) {
      stop_if_interrupted();
      throw Error("cannot write to standard output");
    }
    return code;
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const Interrupted& error) {
    return complain(error.what(), 130);
  } catch (const std::system_error& error) {
    // A signal came while something waited, most often for the reader of standard output.
    const bool stopped = error.code() == std::errc::interrupted && interrupted();
    return complain(stopped ? "interrupted" : error.what(), stopped ? 130 : 1);
  } catch (const std::exception& error) {
    if (compat::is_out_of_memory(error))
      return complain("out of memory\n  try: a smaller file or model, or fewer items at a time", 1);
    return complain(error.what(), 1);
  }
}

}  // namespace mgdm::cli
