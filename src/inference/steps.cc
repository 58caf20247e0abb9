#include "inference/steps.h"

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

}  // namespace mgdm::inference
