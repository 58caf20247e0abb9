#include "spec/run_request.h"

#include <filesystem>

#include "base/cores.h"
#include "base/paths.h"
#include "spec/overrides.h"

namespace mgdm::spec {

namespace fs = std::filesystem;

void RunRequest::visit(config::Visitor& v) {
  v.field("recipe", recipe, "the recipe to train, a TOML file such as those in recipes/");
  v.field("overrides", overrides, "changes to the recipe, as key=value");
  v.field("out", out, "folder of the run (default: runs/ and the recipe's name)");
  v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
  v.field("resume", resume, "continue the run in that folder");
  v.field("quiet", quiet, "show no progress");
}

std::string folder_of(const RunRequest& request) {
  if (!request.out.empty()) return request.out;
  const fs::path file = request.recipe;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const bool of_a_run = file.filename() == "config.toml" && is_there(folder / "env.json");
  return of_a_run ? folder : fs::path("runs") / file.stem();
}

Recipe checked_recipe(const RunRequest& request) {
  Recipe recipe = read_recipe(request.recipe, request.overrides);
  check_effects(recipe, request.overrides);
  const std::string out = folder_of(request);
  if (const auto own = fs::path(out) / "config.toml"; request.resume && is_there(own))
    check_named(read_recipe(own.string(), {}), recipe, request.overrides, out);
  return recipe;
}

}  // namespace mgdm::spec
