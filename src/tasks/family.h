// A family of tasks: what its folder declares, in one row.
//
//   struct Options {  // the one list of what `generate`, recipes and the library may choose
//     std::int64_t nodes = 6;
//     void visit(config::Visitor& v) { v.field("nodes", nodes, "planning: nodes per chain"); }
//   };
//
//   const Family& family() {
//     static const Family kFamily = with_options<Options>(
//         {.name = "planning", .tasks = {"planning"}, .faults = ...},
//         [](std::string_view task, const Options& options, bool learned) { return ...; });
//     return kFamily;
//   }
//
// Every folder FOLDER in families.inc defines mgdm::tasks::FOLDER::family().
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "tasks/task.h"

namespace mgdm::tasks {

// The categories of faults that answers of a task may show.
struct FaultWords {
  std::vector<std::string> words = {};
  // Categories that tables count by the place where they show, and how many places an answer has.
  std::vector<std::string> by_place = {};
  int places = 0;
};

struct Family {
  std::string name;                        // for people: "countdown"
  std::vector<std::string> tasks;          // "countdown-3", "countdown-4", ...
  std::vector<std::string> variants = {};  // tasks that lists of benchmarks leave out: "search-4"

  // The kinds of puzzles that the family generates, the most demanding first, as options.
  std::vector<std::vector<std::string>> kinds = {{}};

  std::function<FaultWords(std::string_view task)> faults = {};

  // The rest is set by with_options().
  std::any defaults = {};
  void (*visit)(std::any& options, config::Visitor& v) = nullptr;
  std::function<std::unique_ptr<Task>(std::string_view task, const std::any& options, bool learned)>
      make = {};
};

// `make` gets one of the family's names, its Options, and whether these are what a model has
// learned: then other puzzles are unfamiliar to it (Task::unfamiliar).
template <class Options, class Make>
Family with_options(Family family, Make make) {
  family.defaults = Options{};
  family.visit = [](std::any& options, config::Visitor& v) {
    std::any_cast<Options&>(options).visit(v);
  };
  family.make = [make = std::move(make)](std::string_view task, const std::any& options,
                                         bool learned) -> std::unique_ptr<Task> {
    return make(task, std::any_cast<const Options&>(options), learned);
  };
  return family;
}

// For families without options.
struct NoOptions {
  void visit(config::Visitor&) {}
};

// "countdown-4" with prefix "countdown-" gives 4. The name must be one of the family's.
int number_after(std::string_view prefix, std::string_view task);

}  // namespace mgdm::tasks
