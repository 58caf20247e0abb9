#include "spec/model_card.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"
#include "spec/kinds.h"
#include "tasks/task.h"

namespace mgdm::spec {

void ModelCard::visit(config::Visitor& v) {
  v.field("task", task, "what the model answers");
  v.field("layout", layout, "how a puzzle lies in a row", config::one_of({"seq2seq", "in_place"}));
  v.field("length", length, "tokens per row", config::range(1, 65536));
  v.field("objective", objective, "what it was trained by",
          config::one_of(names_of(objective_kinds())));
  v.field("train_shown", train_shown, "shown positions were trained too");
  v.field("reverse", reverse, "it answers backwards");
  v.field("precision", precision, "of matrix products on CUDA", config::one_of({"bf16", "fp32"}));
  v.section("decoding", decoding);
}

ModelCard card_of(const Metadata& metadata, const std::string& folder) {
  ModelCard card;
  config::Fields fields(card);
  try {
    for (const config::Field& field : fields.all())
      if (const auto found = metadata.find(field.key); found != metadata.end())
        fields.set(field.key + "=" + found->second);
    tasks::make_task(card.task);
  } catch (const Error& error) {
    throw Error(fmt::format("{}/config.json: mgdm.metadata: {}", folder, error.what()));
  }
  return card;
}

Metadata metadata_of(ModelCard card) {
  Metadata metadata;
  for (const config::Field& field : config::Fields(card).all()) metadata[field.key] = field.value();
  metadata["git_revision"] = git_revision();
  return metadata;
}

}  // namespace mgdm::spec
