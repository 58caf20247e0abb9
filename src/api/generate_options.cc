#include "api/generate_options.h"

#include <limits>

#include "api/option_fields.h"
#include "base/cores.h"
#include "tasks/task.h"

namespace mgdm::api {
namespace {

struct GenerateSettings {
  std::int64_t seed = 0;
  std::string split;
  std::int64_t first = 0, nodes = 0;
  std::string difficulty, guesses;
  std::int64_t threads = 0, largest = 0;
  std::string labels;

  void visit(config::Visitor& v) {
    v.field("seed", seed, "another seed makes other puzzles", config::at_least(0));
    v.field("split", split, "which list", config::one_of({"train", "test"}));
    v.field("first", first, "the first puzzle's number in the list",
            config::range(0, std::numeric_limits<std::uint32_t>::max()));
    v.field("nodes", nodes, "planning: nodes per chain", config::range(2, 50));
    v.field("difficulty", difficulty, "sudoku", config::one_of({"easy", "hard"}));
    v.field("guesses", guesses, "sudoku, hard: how many guesses a puzzle takes");
    v.field("largest", largest, "countdown: the largest number drawn",
            config::range(tasks::kLeastLargest, tasks::kDefaultLargest));
    v.field("labels", labels, "countdown: which solution is the label",
            config::one_of(tasks::label_names()));
    v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
  }
};

// Seeds of 64 bits have no room here; all of them are allowed.
GenerateSettings settings_of(const GenerateOptions& options) {
  return {0,
          options.split,
          options.first,
          options.nodes,
          options.difficulty,
          options.guesses,
          options.threads,
          options.largest,
          options.labels};
}

}  // namespace

void check(const GenerateOptions& options) {
  GenerateSettings settings = settings_of(options);
  config::Fields fields(settings);
  check_all(fields);
}

GenerateOptions generate_options(std::string_view text) {
  GenerateSettings settings = settings_of({});
  config::Fields fields(settings);
  set_all(fields, text);
  return {static_cast<std::uint64_t>(settings.seed),
          settings.split,
          static_cast<std::uint32_t>(settings.first),
          settings.nodes,
          settings.difficulty,
          settings.guesses,
          static_cast<int>(settings.threads),
          settings.largest,
          settings.labels};
}

}  // namespace mgdm::api
