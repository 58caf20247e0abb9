#include "cli/heavy_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace mgdm::cli {
namespace {

struct Heavy {
  const char *name, *about;
};

constexpr Heavy kHeavy[] = {
    {"train", "Train a model by a recipe"},
    {"launch", "Run a command in several processes that work together"},
    {"bench", "Compare machines and builds; lists what there is"},
};

constexpr const char* kHowTo =
    "in the source folder, ./mgdm builds and runs the program that has it; or cmake --preset "
    "release";

}  // namespace

std::string about_heavy(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kHeavy, [&](const Heavy& each) { return name == each.name; });
  MGDM_CHECK(found != std::end(kHeavy));
  return found->about;
}

std::vector<Command> missing_commands() {
  struct Nothing {
    void visit(config::Visitor&) {}
  };
  std::vector<Command> commands;
  for (const Heavy& heavy : kHeavy) {
    const std::string name = heavy.name;
    commands.push_back(make_command<Nothing>(
        name, heavy.about, fmt::format("  ./mgdm {} --help    # {}\n", name, kHowTo), {}, {},
        [name](const Nothing&) {
          throw Error(fmt::format("{} needs LibTorch, which this mgdm was built without", name),
                      "the full program", kHowTo);
        }));
    commands.back().takes_any_words = true;
  }
  return commands;
}

}  // namespace mgdm::cli
