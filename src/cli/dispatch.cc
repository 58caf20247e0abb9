// The one file that knows CLI11.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"

namespace mgdm::cli {
namespace {

// What stands after a flag in the help: --count N, --split train|test, --out TEXT.
std::string placeholder(const config::Field& field) {
  std::string choices;
  for (const std::string& choice : field.constraint.choices)
    choices += (choices.empty() ? "" : "|") + choice;
  if (!choices.empty()) return choices;
  if (std::holds_alternative<std::int64_t*>(field.target)) return "N";
  if (std::holds_alternative<double*>(field.target)) return "X";
  return "TEXT";
}

// A field's help, range and default: "number of examples (at least 1) [1000]".
std::string description(const config::Field& field, const Command& command) {
  std::string text = field.help;
  const std::string allowed = field.allowed();
  if (const std::size_t comma = allowed.find(", ");
      comma != std::string::npos && field.constraint.choices.empty())
    text += fmt::format(" ({})", allowed.substr(comma + 2));
  const std::string value = field.value();
  if (contains(command.inherited, field.key)) {
    text += " [the model's]";
  } else if (!contains(command.required, field.key) && value != "\"\"" && value != "[]")
    text +=
        fmt::format(" [{}]", value.starts_with('"') ? value.substr(1, value.size() - 2) : value);
  return text;
}

// CLI11 takes "[a,b]" for two words, unless a space stands before it. It is one: a puzzle as a
// list.
std::vector<std::string> with_lists_whole(std::vector<std::string> words) {
  for (std::string& word : words)
    if (word.starts_with('[') && word.ends_with(']')) word.insert(0, " ");
  return words;
}

// Without that space.
std::vector<std::string> as_typed(std::vector<std::string> words) {
  for (std::string& word : words)
    if (word.starts_with(" [")) word.erase(0, 1);
  return words;
}

// `given` gets the keys of the fields that stand on the command line.
void add_field(CLI::App& app, Command& command, const config::Field& field,
               std::vector<std::string>& given) {
  std::string flag = (field.key.size() == 1 ? "-" : "--") + field.key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  if (std::holds_alternative<bool*>(field.target)) {
    const auto add_flag = [&](const std::string& name, bool value, const std::string& help) {
      return app.add_flag_callback(
          name,
          [&field, &given, value] {
            *std::get<bool*>(field.target) = value;
            given.push_back(field.key);
          },
          help);
    };
    CLI::Option* const option = add_flag(flag, true, field.help);
    if (!contains(command.inherited, field.key)) return;
    CLI::Option* const opposite =
        add_flag("--no-" + flag.substr(2), false,
                 "turn the flag above off (the default is the model's own setting)");
    option->excludes(opposite);
    for (CLI::Option* each : {option, opposite}) each->option_text(" ");  // not in the help
    return;
  }
  const bool positional = contains(command.positionals, field.key);
  const bool required = contains(command.required, field.key);
  const bool list = std::holds_alternative<std::vector<std::string>*>(field.target);
  CLI::Option* const option = app.add_option(
      positional ? field.key : flag,
      [&fields = command.fields, &field, &given, list](const CLI::results_t& results) {
        const std::vector<std::string> words = as_typed(results);
        given.push_back(field.key);
        if (list) {
          *std::get<std::vector<std::string>*>(field.target) = words;
        } else if (auto* const* text = std::get_if<std::string*>(&field.target);
                   text != nullptr && field.constraint.choices.empty()) {
          **text = words.back();  // taken to the letter: file names may have quotes and spaces
        } else {
          fields.set(field.key + "=" + words.back());
        }
        return true;
      },
      description(field, command));
  if (list) {
    option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  } else {
    option->expected(1);
  }
  if (required) option->required();
  option->type_name(placeholder(field));
}

// What other programs, recipes and the library call something that has another name here.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"--order", "--decoding"}, {"--watch", "--show"}, {"--file", "--input"},
    {"models", "describe"},    {"list", "tasks"},     {"test", "eval"},
};

// Which flag or command was meant by a word that is none of those `known`.
std::string meant_by(const std::string& word, const std::vector<std::string>& known) {
  for (const auto& [other, name] : kOtherNames)
    if (word == other && contains(known, name)) return did_you_mean(name, known);
  return did_you_mean(word, known);
}

// The error about a word that CLI11 does not know.
[[noreturn]] void unknown_word(const CLI::App& app, const CLI::App* command,
                               const std::string& word) {
  std::vector<std::string> known;
  if (command == nullptr) {
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(each->get_name());
    throw UsageError(fmt::format("unknown command {}", in_quotes(word)), joined_or(known),
                     meant_by(word, known));
  }
  const std::string flag = word.substr(0, word.find('='));
  std::string hint;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    if (option->get_positional() && flag == "--" + option->get_name())
      hint = fmt::format("mgdm {} and its name, without {}", command->get_name(), flag);
  }
  if (hint.empty()) hint = meant_by(flag, known);
  if (hint.empty()) hint = fmt::format("mgdm {} --help", command->get_name());
  const char* const what = word.starts_with('-') ? "unknown option" : "unexpected argument";
  throw UsageError(fmt::format("{} {}", what, in_quotes(word)), "", hint);
}

// `mgdm help` and `mgdm help COMMAND` are what --help says.
std::vector<std::string> with_help_as_flag(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  std::erase(words, "help");
  words.push_back("--help");
  return words;
}

// The help of `command`, or of the whole program. Examples are not wrapped: they are to be copied.
int print_help(const CLI::App& app, const Command* command) {
  const std::size_t width = page_width();
  fmt::print("{}", wrapped(app.help(), width));
  if (command == nullptr)
    fmt::print("mgdm COMMAND --help shows a command's options and examples.\n");
  else
    fmt::print("Examples:\n{}\n", as_called(command->examples));
  if (command != nullptr && !command->more.empty())
    fmt::print("{}\n", wrapped(command->more, width));
  return 0;
}

}  // namespace

int dispatch(std::vector<Command> commands, const std::vector<std::string>& typed) {
  const std::vector<std::string> words = with_lists_whole(with_help_as_flag(typed));
  CLI::App app(
      "Neural reasoning by discrete diffusion: puzzles, models that fill them in, and an exact "
      "check of every answer.",
      "mgdm");
  const int cores = usable_cores();
  app.set_version_flag("-V,--version", fmt::format("mgdm {} ({}), {} thread{}", version(),
                                                   git_revision(), cores, cores == 1 ? "" : "s"));
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  std::vector<std::string> given;
  for (Command& command : commands) {
    CLI::App& sub = *app.add_subcommand(command.name, command.about);
    for (const config::Field& field : command.fields.all()) add_field(sub, command, field, given);
    sub.allow_extras(false);
  }
  if (words.empty()) return print_help(app, nullptr);

  std::vector<std::string> reversed(words.rbegin(), words.rend());
  const auto chosen = [&]() -> const CLI::App* {
    const auto subs = app.get_subcommands();
    return subs.empty() ? nullptr : subs.front();
  };
  const auto chosen_command = [&]() -> const Command* {
    const auto at = std::ranges::find_if(commands, [&](const Command& command) {
      return chosen() != nullptr && command.name == chosen()->get_name();
    });
    return at == commands.end() ? nullptr : &*at;
  };
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    if (chosen() == nullptr && !words.front().starts_with('-'))
      unknown_word(app, nullptr, words.front());
    return print_help(app, chosen_command());
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return 0;
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(/*recurse=*/true);
    unknown_word(app, chosen(), extras.empty() ? "" : extras.front());
  } catch (const CLI::ParseError& error) {
    const CLI::App* const command = chosen();
    // An option that is not known is told of first: it may misspell what is missing.
    for (const std::string& word : app.remaining(/*recurse=*/true))
      if (word.starts_with("--") && word != "--") unknown_word(app, command, word);
    throw UsageError(
        error.what(), "",
        command == nullptr ? "mgdm --help" : fmt::format("mgdm {} --help", command->get_name()));
  }
  const Command* const command = chosen_command();
  if (command == nullptr) throw UsageError("no command was given", "mgdm COMMAND", "mgdm --help");
  return command->run(given);
}

}  // namespace mgdm::cli
