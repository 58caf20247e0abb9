#include "cli/demo_models.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/error.h"
#include "inference/load_network.h"
#include "inference/models.h"
#include "spec/kinds.h"
#include "spec/tensors.h"
#include "tasks/all_tasks.h"

namespace mgdm::cli {
namespace {

// All models with a model card that this program can run. Folders that cannot be read are skipped.
std::vector<DemoModel> all_models() {
  std::vector<DemoModel> models;
  for (const auto& [name, folder] : inference::shelved_models()) {
    try {
      DemoModel model{name, folder, model_files::read_config(folder)};
      if (model.config.about.card && !model.config.alphabet.empty() &&
          inference::can_run(model.config.settings))
        models.push_back(std::move(model));
    } catch (const Error&) {
      continue;
    }
  }
  return models;
}

bool left_to_right(const DemoModel& model) {
  return spec::objective_kind(model.config.about.card->objective).decoder ==
         decoding::Decoder::kLeftToRight;
}

std::int64_t size_of(const DemoModel& model) {
  return spec::parameter_count(model.config.settings);
}

}  // namespace

std::vector<DemoModel> diffusion_models() {
  std::vector<DemoModel> all = all_models();
  std::erase_if(all, left_to_right);
  std::ranges::stable_sort(all, std::ranges::greater{}, size_of);
  std::vector<DemoModel> models;
  for (const std::string& task : tasks::task_names())
    std::ranges::copy_if(all, std::back_inserter(models), [&](const DemoModel& model) {
      return model.config.about.card->task == task;
    });
  return models;
}

std::vector<DemoModel> models_to_watch() {
  std::vector<DemoModel> models = diffusion_models();
  const auto same_task = [](const DemoModel& one, const DemoModel& other) {
    return one.config.about.card->task == other.config.about.card->task;
  };
  models.erase(std::unique(models.begin(), models.end(), same_task), models.end());
  return models;
}

std::vector<DemoPair> pairs_to_compare() {
  const std::vector<DemoModel> models = all_models();
  std::vector<DemoPair> pairs;
  for (const DemoModel& one : models) {
    if (!left_to_right(one)) continue;
    const auto same = std::ranges::find_if(models, [&](const DemoModel& other) {
      return !left_to_right(other) &&
             other.config.about.card->task == one.config.about.card->task &&
             other.config.about.card->length == one.config.about.card->length &&
             size_of(other) == size_of(one);
    });
    if (same != models.end()) pairs.push_back({one, *same});
  }
  return pairs;
}

}  // namespace mgdm::cli
