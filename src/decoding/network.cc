#include "decoding/network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace mgdm::decoding {

void log_softmax(std::span<float> values) {
  const float most = *std::max_element(values.begin(), values.end());
  float sum = 0;
  for (const float value : values) sum += std::exp(value - most);
  if (!std::isfinite(sum))  // a NaN or an infinity among them, or nothing but -inf
    throw Error("the network's predictions are not numbers", "finite logits",
                "a model whose training did not diverge");
  const float log_sum = std::log(sum);
  for (float& value : values) value = value - most - log_sum;
}

void answer_log_probs(std::span<float> logits, const data::Specials& specials) {
  for (const data::Token token : {specials.sep, specials.mask, specials.unk})
    logits[token] = -std::numeric_limits<float>::infinity();
  log_softmax(logits);
}

std::size_t likeliest(std::span<const float> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::unique_ptr<Sequence> Network::start(std::int64_t) {
  MGDM_CHECK(causal() && "start is missing");
  return nullptr;
}

void Network::next_logits(std::span<const Reading>, std::span<float>) {
  MGDM_CHECK(causal() && "next_logits is missing");
}

}  // namespace mgdm::decoding
