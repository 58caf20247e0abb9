#include "inference/steps.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace mgdm::inference {

StepText step_text(const spec::PuzzleRows& rows, std::span<const std::uint8_t> frozen,
                   const decoding::Step& step) {
  StepText seen{step.attempt, step.pass, {}, {}};
  const data::Layout& layout = rows.layout();
  for (std::size_t n = layout.answer_begin(frozen); n < step.tokens.size(); ++n) {
    const data::Token token = step.tokens[n];
    if (token == data::kEos) break;
    if (token < data::kSpecialTokens && token != data::kMask) continue;
    const std::string word =
        token == data::kMask ? std::string(1, kHidden) : rows.vocabulary().decode({&token, 1});
    seen.text += word;
    seen.confidence.insert(seen.confidence.end(), word.size(), step.confidence[n]);
  }
  return seen;
}

std::string step_json(const StepText& step) {
  nlohmann::ordered_json json{{"attempt", step.attempt}, {"pass", step.pass}, {"text", step.text}};
  json["confidence"] = nlohmann::ordered_json::array();
  for (const float value : step.confidence)  // three digits are plenty for a picture
    json["confidence"].push_back(std::round(1000 * static_cast<double>(value)) / 1000);
  return json.dump();
}

}  // namespace mgdm::inference
