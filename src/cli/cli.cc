#include "cli/cli.h"

#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/full_program.h"
#include "cli/torch_work.h"

namespace mgdm::cli {
namespace {

std::string g_called_as = "mgdm";

// A GPU is used where there is one, by the full program if that has been built.
void check_device(const std::string& device) {
  const bool asked = device.starts_with("cuda");
  if (asked && ::dlopen("libcuda.so.1", RTLD_LAZY) == nullptr)
    throw Error("--device " + device + ": no NVIDIA driver is installed here", "cpu or auto");
  if (asked || (device == "auto" && is_there("/dev/nvidia0") && full_program_is_built()))
    needed(nullptr, "--device " + device);
}

std::vector<Command> all_commands(TorchWork* work) {
  std::vector<Command> commands{
      demo_command(),    tasks_command(),     generate_command(),      verify_command(),
      label_command(),   eval_command(work),  solve_command(),         describe_command(),
      export_command(),  prompt_command(),    reproduce_command(work), report_command(),
      compare_command(), train_command(work), launch_command(work),    bench_command(work)};
  if (work != nullptr) return commands;
  for (Command& command : commands)
    for (const config::Field& field : command.fields.all())
      if (field.key == "device")
        command.run = [run = command.run, device = std::get<std::string*>(field.target)](
                          const std::vector<std::string>& given) {
          check_device(*device);
          return run(given);
        };
  return commands;
}

bool is_out_of_memory(const TorchWork* work, const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  return work != nullptr && work->is_out_of_memory(error);
}

int complain(const char* what, int code) {
  say("mgdm: {}\n", printable(as_called(what), "\n"));
  return code;
}

int run_command(char** argv, const std::vector<std::string>& words, TorchWork* work) {
  try {
    return dispatch(all_commands(work), words);
  } catch (const NeedsLibTorch&) {  // thrown before anything is read from standard input
    become_full_program(argv);
    throw;
  }
}

}  // namespace

const std::string& called_as() { return g_called_as; }

std::string as_called(std::string text) {
  for (const std::string_view before : {"try: ", "  ", "| "})
    for (std::size_t at = 0; (at = text.find(std::string(before) + "mgdm ", at)) != text.npos;) {
      at += before.size();
      text.replace(at, 4, g_called_as);
    }
  return text;
}

std::size_t page_width() { return ::isatty(STDOUT_FILENO) == 1 ? columns_of(stdout) : 100; }

int run(int argc, char** argv, TorchWork* work) {
  if (argc > 0 && argv[0][0] == '.') g_called_as = argv[0];  // ./mgdm
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file above `ulimit -f` is an error, as on a full disk
  try {
    catch_interrupts();
    const int code = run_command(argv, {argv + 1, argv + argc}, work);
    flush_output();
    return code;
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const Interrupted& error) {
    return complain(error.what(), 130);
  } catch (const std::system_error& error) {
    // A signal came while something waited, most often for the reader of standard output.
    if (error.code() == std::errc::interrupted && interrupted())
      return complain("interrupted", 130);
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return complain(
        no_thread ? "no further thread can be started\n  try: a smaller --threads" : error.what(),
        1);
  } catch (const std::exception& error) {
    if (is_out_of_memory(work, error))
      return complain("out of memory\n  try: a smaller file or model, or fewer items at a time", 1);
    return complain(error.what(), 1);
  }
}

}  // namespace mgdm::cli
