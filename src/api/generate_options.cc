#include "api/generate_options.h"

#include <limits>

#include "api/option_fields.h"
#include "base/cores.h"
#include "base/text.h"

namespace mgdm::api {
namespace {

struct GenerateSettings {
  std::int64_t seed = 0;
  std::string split;
  std::int64_t first = 0, threads = 0;
  tasks::Options task;

  void visit(config::Visitor& v) {
    v.field("seed", seed, "another seed makes other puzzles", config::at_least(0));
    v.field("split", split, "which list", config::one_of({"train", "test"}));
    v.field("first", first, "the first puzzle's number in the list",
            config::range(0, std::numeric_limits<std::uint32_t>::max()));
    v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
    task.visit(v);
  }
};

// Seeds of 64 bits have no room here; all of them are allowed.
GenerateSettings settings_of(const GenerateOptions& options) {
  GenerateSettings settings{0, options.split, options.first, options.threads, {}};
  config::Fields task(settings.task);
  set_all(task, options.task_options);
  return settings;
}

}  // namespace

tasks::Options checked(const GenerateOptions& options) {
  GenerateSettings settings = settings_of(options);
  config::Fields fields(settings);
  check_all(fields);
  return settings.task;
}

GenerateOptions generate_options(std::string_view text) {
  GenerateSettings settings = settings_of({});
  config::Fields fields(settings);
  set_all(fields, text);
  return {static_cast<std::uint64_t>(settings.seed), settings.split,
          static_cast<std::uint32_t>(settings.first), static_cast<int>(settings.threads),
          joined_by(settings.task.chosen(), " ")};
}

}  // namespace mgdm::api
