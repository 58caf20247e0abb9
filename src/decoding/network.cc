#include "decoding/network.h"

#include "base/error.h"

namespace mgdm::decoding {

std::unique_ptr<Sequence> Network::start(std::int64_t) {
  MGDM_CHECK(causal() && "start is missing");
  return nullptr;
}

void Network::next_logits(std::span<const Reading>, std::span<float>) {
  MGDM_CHECK(causal() && "next_logits is missing");
}

}  // namespace mgdm::decoding
