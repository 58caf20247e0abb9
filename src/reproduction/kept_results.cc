#include "reproduction/kept_results.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/random.h"
#include "formats/json_text.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string identity(const Trained& trained) {
  std::error_code ignored;
  std::string text = full_name(trained.folder);
  for (const char* file : {"config.json", "model.safetensors", "model.safetensors.index.json",
                           "adapter_model.safetensors"}) {
    const fs::path path = fs::path(trained.folder) / file;
    const auto time = fs::last_write_time(path, ignored);
    if (ignored) continue;
    text += fmt::format(" {} {} {}", file, fs::file_size(path, ignored),
                        time.time_since_epoch().count());
  }
  return text;
}

fs::path kept_file(const Context& context, const std::string& key) {
  return context.out / "cells" / fmt::format("{:016x}.json", stable_hash(key));
}

std::optional<Json> read_kept(const fs::path& file) {
  if (!is_there(file)) return std::nullopt;
  Json json = formats::parse_ordered_json(read_file(file));
  if (!json.is_object()) return std::nullopt;
  return json;
}

void keep(const fs::path& file, const Json& result) {
  make_folder(file.parent_path());
  write_file(file.string(), formats::json_text(result, 2) + "\n");
}

Json partial_json(const evaluation::Evaluation& cut) {
  Json answers = Json::array();
  for (const auto& [first, best] : cut.answers) {
    Json& json = answers.emplace_back(Json{{"text", first.text}, {"passes", first.passes}});
    if (best.text == first.text && best.passes == first.passes) continue;
    json["best"] = best.text;
    json["best_passes"] = best.passes;
  }
  return {{"seconds", cut.seconds}, {"answers", std::move(answers)}};
}

evaluation::PartialEvaluation read_partial(const Json& json) {
  const auto seconds = number_at(json, "seconds");
  if (!seconds || !json.contains("answers") || !json["answers"].is_array()) return {};
  evaluation::PartialEvaluation partial{.seconds = *seconds};
  for (const Json& each : json["answers"]) {
    const auto passes = number_at(each, "passes");
    if (!passes) return {};
    auto& [first, best] = partial.answers.emplace_back();
    first = {text_at(each, "text"), static_cast<std::int64_t>(*passes)};
    best = {each.contains("best") ? text_at(each, "best") : first.text,
            static_cast<std::int64_t>(number_at(each, "best_passes").value_or(*passes))};
  }
  return partial;
}

}  // namespace mgdm::reproduction
