#include "spec/model_card.h"

#include "spec/kinds.h"
#include "tasks/all_tasks.h"

namespace mgdm::spec {

void ModelCard::visit(config::Visitor& v) {
  v.field("task", task, "the model's task");
  v.field("layout", layout, "layout of a puzzle in a row",
          config::one_of({"seq2seq", "in_place", "long"}));
  v.field("length", length, "tokens per row", config::range(1, 65536));
  v.field("blank", blank, "layout in_place: the character that is filled in");
  v.field("options", options, "options of the training puzzles (empty = unknown)");
  v.field("objective", objective, "training objective",
          config::one_of(config::names_of(objective_kinds())));
  v.field("train_shown", train_shown, "whether shown positions were trained, too");
  v.field("reverse", reverse, "whether the model answers backwards");
  v.field("precision", precision, "precision of matmuls on CUDA", config::one_of({"bf16", "fp32"}));
  v.field("arithmetic", arithmetic, "arithmetic of matmuls on a CPU",
          config::one_of(arithmetic_names()));
  v.section("decoding", decoding);
}

std::vector<std::string> arithmetic_names() { return {"fp32", "bf16", "int8"}; }

std::vector<std::string> arithmetic_choices() {
  std::vector<std::string> names = arithmetic_names();
  names.insert(names.begin(), "auto");
  return names;
}

std::unique_ptr<tasks::Task> task_of(const ModelCard& card) {
  return tasks::make_task(card.task, tasks::Options(card.options),
                          /*learned=*/!card.options.empty());
}

}  // namespace mgdm::spec
