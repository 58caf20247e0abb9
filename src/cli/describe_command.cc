#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "inference/loaded_model.h"
#include "inference/models.h"
#include "model_files/checkpoint_config.h"
#include "model_files/describe.h"

namespace mgdm::cli {
namespace {

struct DescribeSettings {
  std::string model;
  bool quiet = false;
  void visit(config::Visitor& v) {
    v.field("model", model,
            "a checkpoint folder or a model's name (empty = list the named models)");
    v.field("quiet", quiet, "print nothing: only check the files, as solve would");
  }
};

// All models that have a name, a line each.
void list_models() {
  const auto models = inference::named_models();
  if (models.empty()) throw UsageError("no model was found", "the folder of one");
  for (const auto& [name, folder] : models)
    fmt::print("{:<20} {}\n", printable(name), printable(model_files::describe_shortly(folder)));
}

// Refuses what `solve` would refuse. A model that only the full program runs is not loaded.
void check_weights(const std::string& folder) {
  if (!model_files::read_config(folder).about.card) return;
  try {
    inference::LoadedModel::load(folder, {.device = "cpu"});
  } catch (const NeedsLibTorch&) {
  }
}

void run_describe(const DescribeSettings& settings) {
  if (settings.model.empty() && settings.quiet)
    throw UsageError("no model to check", "a checkpoint folder or a model's name");
  if (settings.model.empty()) return list_models();
  const std::string folder = inference::find_model(settings.model);
  const std::string text = model_files::describe(folder, page_width());
  check_weights(folder);
  if (!settings.quiet) fmt::print("{}", printable(text, "\n"));
}

}  // namespace

Command describe_command() {
  return make_command<DescribeSettings>("describe", "List the models at hand, or say what one is",
                                        "  mgdm describe\n"
                                        "  mgdm describe sudoku\n"
                                        "  mgdm describe runs/planning/checkpoint-4883\n",
                                        {"model"}, {}, run_describe);
}

}  // namespace mgdm::cli
