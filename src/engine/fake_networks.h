// Networks without weights on tensors: those of decoding/fake_networks.h, which say what they do.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "decoding/network.h"
#include "engine/network.h"

namespace mgdm::engine {

// A plain network as one on tensors: it computes on the CPU, wherever the tensors are.
Network network_of(std::shared_ptr<decoding::Network> plain);

Network random_network(std::uint64_t seed, std::int64_t vocabulary, double scale = 4);

// answers (K, N) and difficulty (K, N), both int64.
Network oracle_network(const at::Tensor& answers, const at::Tensor& difficulty,
                       std::int64_t vocabulary);

// Logits (B, N, V), one tensor per call.
Network replay_network(const std::vector<at::Tensor>& logits);

}  // namespace mgdm::engine
