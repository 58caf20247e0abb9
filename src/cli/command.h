// A command of the program: its settings as one list of fields, its help, and the function it runs.
//
// Flags, their ranges and the help text all come from the fields (see config/settings.h): a field
// "count" is the flag --count, a field "n" is -n. all_commands() in cli.cc lists the commands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "config/settings.h"

namespace mgdm::cli {

struct Command {
  std::string name;
  std::string about;                     // one line
  std::string examples;                  // shown by --help
  std::vector<std::string> positionals;  // fields given without --, in order; a list takes the rest
  std::vector<std::string> required;     // fields without a default
  config::Fields fields;
  // Takes the keys of the fields that were given; returns the exit code.
  std::function<int(const std::vector<std::string>& given)> run;
  std::vector<std::string> inherited;  // fields whose default is the model's own
  std::string more = {};               // at the end of --help
};

// A command from a settings struct with visit() and a function that takes it and returns an exit
// code or nothing (0). Settings with decoding flags (`decode`) are told which were given.
template <class Settings, class Run>
Command make_command(std::string name, std::string about, std::string examples,
                     std::vector<std::string> positionals, std::vector<std::string> required,
                     Run run) {
  using Result = std::invoke_result_t<Run, const Settings&>;
  const auto settings = std::make_shared<Settings>();
  return {std::move(name),
          std::move(about),
          std::move(examples),
          std::move(positionals),
          std::move(required),
          config::Fields(*settings),
          [settings, run](const std::vector<std::string>& given) {
            if constexpr (requires { settings->decode.given; }) settings->decode.given = given;
            if constexpr (std::is_void_v<Result>) {
              run(*settings);
              return 0;
            } else {
              return run(*settings);
            }
          },
          /*inherited=*/{}};
}

// How the user called the program: "mgdm", or in a source folder "./mgdm".
const std::string& called_as();

// The text with commands such as "mgdm solve" written as the user called the program.
std::string as_called(std::string text);

// The columns that help and tables fit into: those of the terminal, or 100 where there is none.
std::size_t page_width();

class TorchWork;

Command demo_command();
Command tasks_command();
Command generate_command();
Command verify_command();
Command label_command();
Command eval_command(TorchWork* work);
Command solve_command();
Command describe_command();
Command export_command();
Command prompt_command();
Command reproduce_command(TorchWork* work);
Command report_command();
Command compare_command();
Command train_command(TorchWork* work);
Command launch_command(TorchWork* work);
Command bench_command(TorchWork* work);

// Parses the words after the program's name, runs the command that they name and returns its exit
// code. UsageError when they are wrong. Help and version are printed to standard output.
int dispatch(std::vector<Command> commands, const std::vector<std::string>& words);

}  // namespace mgdm::cli
