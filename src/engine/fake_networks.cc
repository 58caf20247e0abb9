#include "engine/fake_networks.h"

#include <ATen/ops/empty.h>

#include <utility>

#include "base/error.h"
#include "decoding/fake_networks.h"

namespace mgdm::engine {
namespace {

// The elements one behind the other, as numbers of type To.
template <class To>
std::vector<To> elements(const at::Tensor& tensor, at::ScalarType type) {
  const at::Tensor values = tensor.to(at::kCPU, type).contiguous();
  const To* data = static_cast<const To*>(values.data_ptr());
  return {data, data + values.numel()};
}

}  // namespace

Network network_of(std::shared_ptr<decoding::Network> plain) {
  return [plain = std::move(plain)](const at::Tensor& tokens, const at::Tensor& frozen) {
    const auto token_bytes = elements<data::Token>(tokens, at::kInt);
    const auto frozen_bytes = elements<std::uint8_t>(frozen, at::kByte);
    at::Tensor logits =
        at::empty({tokens.size(0), tokens.size(1), static_cast<std::int64_t>(plain->vocabulary())},
                  at::kFloat);
    plain->logits({static_cast<std::size_t>(tokens.size(0)),
                   static_cast<std::size_t>(tokens.size(1)), token_bytes, frozen_bytes},
                  /*loops=*/0,
                  {logits.data_ptr<float>(), static_cast<std::size_t>(logits.numel())});
    return logits.to(tokens.device());
  };
}

Network random_network(std::uint64_t seed, std::int64_t vocabulary, double scale) {
  return network_of(std::make_shared<decoding::FunctionNetwork>(
      decoding::random_network(seed, static_cast<std::size_t>(vocabulary), scale)));
}

Network oracle_network(const at::Tensor& answers, const at::Tensor& difficulty,
                       std::int64_t vocabulary) {
  std::vector<std::vector<data::Token>> tokens;
  std::vector<std::vector<int>> difficulties;
  for (std::int64_t k = 0; k < answers.size(0); ++k) {
    tokens.push_back(elements<data::Token>(answers[k], at::kInt));
    difficulties.push_back(elements<int>(difficulty[k], at::kInt));
  }
  return network_of(std::make_shared<decoding::FunctionNetwork>(decoding::oracle_network(
      std::move(tokens), std::move(difficulties), static_cast<std::size_t>(vocabulary))));
}

Network replay_network(const std::vector<at::Tensor>& logits) {
  MGDM_CHECK(!logits.empty());
  std::vector<std::vector<float>> recorded;
  for (const at::Tensor& each : logits) recorded.push_back(elements<float>(each, at::kFloat));
  return network_of(std::make_shared<decoding::ReplayNetwork>(
      static_cast<std::size_t>(logits.front().size(-1)), std::move(recorded)));
}

}  // namespace mgdm::engine
