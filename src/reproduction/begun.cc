#include "reproduction/begun.h"

#include "reproduction/json_members.h"

namespace mgdm::reproduction {

Json begun_json(const evaluation::Evaluation& cut) {
  Json answers = Json::array();
  for (const auto& [first, best] : cut.answers) {
    Json& json = answers.emplace_back(Json{{"text", first.text}, {"passes", first.passes}});
    if (best.text == first.text && best.passes == first.passes) continue;
    json["best"] = best.text;
    json["best_passes"] = best.passes;
  }
  return {{"seconds", cut.seconds}, {"answers", std::move(answers)}};
}

evaluation::Begun read_begun(const Json& json) {
  const auto seconds = number_at(json, "seconds");
  if (!seconds || !json.contains("answers") || !json["answers"].is_array()) return {};
  evaluation::Begun begun{.seconds = *seconds};
  for (const Json& each : json["answers"]) {
    const auto passes = number_at(each, "passes");
    if (!passes) return {};
    auto& [first, best] = begun.answers.emplace_back();
    first = {text_at(each, "text"), static_cast<std::int64_t>(*passes)};
    best = {each.contains("best") ? text_at(each, "best") : first.text,
            static_cast<std::int64_t>(number_at(each, "best_passes").value_or(*passes))};
  }
  return begun;
}

}  // namespace mgdm::reproduction
