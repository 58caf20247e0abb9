#include "cli/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/eval_command.h"
#include "cli/heavy_commands.h"
#include "cli/reproduce_command.h"

namespace mgdm::cli {
namespace {

// What mgdm reproduce may call: what the half with LibTorch trains and measures.
reproduction::Trainer trainer_of(const Program& program) {
  reproduction::Trainer trainer = program.trainer;
  if (program.measure_losses)
    trainer.losses = [measure = program.measure_losses](const reproduction::LossOrder& order) {
      EvalSettings settings;
      settings.model = order.model;
      settings.data = order.data;
      settings.losses = order.json;
      settings.compute.device = order.device;
      settings.limit = order.limit;
      settings.compute.threads = order.threads;
      settings.samples = order.samples;
      settings.decode.settings.steps = order.levels;
      settings.decode.given = {"steps"};
      settings.quiet = order.quiet;
      settings.no_table = true;
      measure(settings);
    };
  return trainer;
}

std::vector<Command> all_commands(Program& program) {
  std::vector<Command> commands{demo_command(),
                                tasks_command(),
                                generate_command(),
                                verify_command(),
                                eval_command(program.measure_losses),
                                solve_command(),
                                describe_command(),
                                export_command(),
                                prompt_command(),
                                reproduce_command(trainer_of(program)),
                                report_command()};
  for (Command& command : heavy_commands(program.heavy)) commands.push_back(std::move(command));
  return commands;
}

bool is_out_of_memory(const Program& program, const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  return program.is_out_of_memory && program.is_out_of_memory(error);
}

// Hints name commands as they can be typed: from a source folder, with ./mgdm.
std::string as_called(std::string what) {
  constexpr std::string_view kHint = "\n  try: mgdm ";
  const char* const called = std::getenv("MGDM_CALLED");
  if (const std::size_t at = what.find(kHint); called != nullptr && at != std::string::npos)
    what.replace(at, kHint.size(), fmt::format("\n  try: {} ", called));
  return what;
}

// To ./mgdm, which builds and runs the other program; returns where there is no such script.
// Whoever throws NeedsLibTorch has read nothing yet of what is sent to this one.
void hand_over(char** argv) {
  const char* const launcher = std::getenv("MGDM_LAUNCHER");
  const char* const program = std::getenv("MGDM_PROGRAM");
  if (launcher == nullptr || (program != nullptr && std::string_view(program) == "full")) return;
  ::setenv("MGDM_PROGRAM", "full", 1);
  ::execv(launcher, argv);
}

int complain(const char* what, int code) {
  say("mgdm: {}\n", printable(as_called(what), "\n"));
  return code;
}

}  // namespace

int run(int argc, char** argv, Program program) {
  open_standard_streams();
  try {
    catch_interrupts();
    const int code = dispatch(all_commands(program), {argv + 1, argv + argc});
    flush_output();
    return code;
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const NeedsLibTorch& error) {
    hand_over(argv);
    return complain(error.what(), 1);
  } catch (const Interrupted& error) {
    return complain(error.what(), 130);
  } catch (const std::system_error& error) {
    // A signal came while something waited, most often for the reader of standard output.
    const bool stopped = error.code() == std::errc::interrupted && interrupted();
    return complain(stopped ? "interrupted" : error.what(), stopped ? 130 : 1);
  } catch (const std::exception& error) {
    if (is_out_of_memory(program, error))
      return complain("out of memory\n  try: a smaller file or model, or fewer items at a time", 1);
    return complain(error.what(), 1);
  }
}

}  // namespace mgdm::cli
