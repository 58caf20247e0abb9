// From logits to the probabilities of answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/vocabulary.h"

namespace mgdm::decoding {

// May this token stand in an answer? [MASK], [SEP] and [UNK] never do; [EOS] and [PAD] do, because
// the length of an answer is learned.
constexpr bool is_answer(std::size_t token) {
  return token != data::kMask && token != data::kSep && token != data::kUnk;
}

// Turns logits (V) about one position into log-probabilities, in place: -inf for [MASK], [SEP] and
// [UNK]. Error when the logits are not finite, as those of a model that diverged.
void answer_log_probs(std::span<float> logits, const data::Specials& specials = {});

// log softmax (K), in place. Error as above.
void log_softmax(std::span<float> values);

// The first of the largest.
std::size_t likeliest(std::span<const float> values);

}  // namespace mgdm::decoding
