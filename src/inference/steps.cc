#include "inference/steps.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/json_text.h"

namespace mgdm::inference {

StepText step_text(const spec::PuzzleRows& rows, std::span<const std::uint8_t> frozen,
                   const decoding::Step& step) {
  StepText seen{step.attempt, step.pass, {}, {}, {}};
  const data::Layout& layout = rows.layout();
  const data::Vocabulary& vocabulary = rows.vocabulary();
  for (std::size_t n = layout.answer_begin(frozen); n < step.tokens.size(); ++n) {
    const data::Token token = step.tokens[n];
    const bool masked = token == vocabulary.specials().mask;
    if (token == vocabulary.specials().eos) break;
    if (vocabulary.is_special(token) && !masked) continue;
    const std::string text = masked ? std::string(1, kHidden) : vocabulary.decode({&token, 1});
    seen.text += text;
    seen.confidence.insert(seen.confidence.end(), text.size(), step.confidence[n]);
    seen.given.insert(seen.given.end(), text.size(), frozen[n] != 0);
  }
  return seen;
}

std::string step_json(const StepText& step) {
  nlohmann::ordered_json json{{"attempt", step.attempt}, {"pass", step.pass}, {"text", step.text}};
  json["confidence"] = nlohmann::ordered_json::array();
  for (const float value : step.confidence)  // three digits are plenty for a picture
    json["confidence"].push_back(std::round(1000 * static_cast<double>(value)) / 1000);
  return formats::json_text(json);
}

}  // namespace mgdm::inference
