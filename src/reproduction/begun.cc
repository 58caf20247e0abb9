#include "reproduction/begun.h"

#include "reproduction/json_members.h"

namespace mgdm::reproduction {

Json begun_json(const evaluation::Evaluation& cut) {
  Json answers = Json::array();
  for (const inference::Answer& answer : cut.answers) {
    Json& json =
        answers.emplace_back(Json{{"text", answer.text}, {"passes", answer.forward_passes}});
    if (answer.best == answer.text && answer.best_passes == answer.forward_passes) continue;
    json["best"] = answer.best;
    json["best_passes"] = answer.best_passes;
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
    inference::Answer& answer = begun.answers.emplace_back();
    answer.text = text_at(each, "text");
    answer.forward_passes = static_cast<std::int64_t>(*passes);
    answer.best = each.contains("best") ? text_at(each, "best") : answer.text;
    answer.best_passes =
        static_cast<std::int64_t>(number_at(each, "best_passes").value_or(*passes));
  }
  return begun;
}

}  // namespace mgdm::reproduction
