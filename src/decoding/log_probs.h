// From logits to the probabilities of answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/vocabulary.h"

namespace mgdm::decoding {

// Whether an answer may have this token. [MASK], [SEP] and [UNK] are excluded; [EOS] and [PAD] are
// not, because the length of an answer is learned.
constexpr bool is_answer(std::size_t token) {
  return token != data::kMask && token != data::kSep && token != data::kUnk;
}

// Turns logits (V) about one position into log-probabilities, in place: -inf for [MASK], [SEP] and
// [UNK]. Error when the logits are not finite, as those of a model that diverged.
void answer_log_probs(std::span<float> logits, const data::Specials& specials = {});

// log softmax (K), in place. Error as above.
void log_softmax(std::span<float> values);

// The index of the largest value; the first one of ties.
std::size_t likeliest(std::span<const float> values);

}  // namespace mgdm::decoding
