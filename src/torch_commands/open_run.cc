#include "torch_commands/open_run.h"

#include <fmt/format.h>

#include "base/standard_streams.h"
#include "base/text.h"
#include "spec/overrides.h"

namespace mgdm::torch_commands {
namespace {

namespace fs = std::filesystem;

// A warning, or nothing when the run had the same number: threads decide in which order numbers are
// added.
std::string other_threads(const Environment& was, const Environment& now) {
  const auto before = was.find("threads");
  if (before == was.end() || before->second == now.at("threads")) return "";
  return fmt::format(
      "resuming with {} threads, was {}: the run goes on, but not bit for bit as it would have "
      "(--threads {} does)\n",
      now.at("threads"), printable(before->second), printable(before->second));
}

// A run that goes on by its own config.toml is still one of the recipe that it was started with.
std::string recipe_name(const Environment& was, const Environment& now, const fs::path& out) {
  std::error_code not_there;
  const std::string& named = now.at("recipe");
  const auto before = was.find("recipe");
  return before != was.end() && fs::equivalent(named, out / "config.toml", not_there)
             ? before->second
             : named;
}

}  // namespace

void OpenedRun::begin(std::int64_t step) const {
  folder.write_config(config);
  folder.write_environment(environment);
  folder.log_sitting(step, environment, changes);
}

OpenedRun open_run(const fs::path& out, const spec::Recipe& recipe, const Environment& environment,
                   const OpenOptions& options) {
  spec::Recipe dumped = recipe;
  OpenedRun run{.folder = {out, options.resume},
                .config = config::Fields(dumped).dump(),
                .environment = environment};
  if (!options.resume) return run;
  const Environment was = run.folder.environment();
  run.environment["recipe"] = recipe_name(was, environment, out);
  run.changes =
      spec::check_continues(spec::read_recipe(out / "config.toml", {}), recipe, out.string());
  std::string said;
  for (const std::string& change : run.changes)
    said += fmt::format("resuming with {}\n", printable(change));
  if (options.on_cpu) said += other_threads(was, environment);
  if (!options.quiet) say("{}", said);
  return run;
}

}  // namespace mgdm::torch_commands
