// LibTorch's model as a decoding::Network, for the plain decoders, on any device.
#pragma once

#include <memory>
#include <span>

#include "decoding/network.h"
#include "nn/model.h"

namespace mgdm::engine {

class TorchNetwork : public decoding::Network {
 public:
  // `bf16` computes matmuls in bf16 on CUDA. With `one_by_one` the model gets one row per call, so
  // that LibTorch's choice of kernels does not depend on the other rows.
  explicit TorchNetwork(std::shared_ptr<nn::Model> model, bool bf16 = false,
                        bool one_by_one = false);

  std::size_t vocabulary() const override;
  bool causal() const override;
  void logits(const decoding::Rows& rows, std::int64_t loops, std::span<float> logits) override;
  std::unique_ptr<decoding::Sequence> start(std::int64_t loops) override;
  void next_logits(std::span<const decoding::Reading> readings, std::span<float> logits) override;

 private:
  void row_logits(const decoding::Rows& rows, std::int64_t loops, std::span<float> logits);

  const std::shared_ptr<nn::Model> model_;
  const bool bf16_, one_by_one_;
};

}  // namespace mgdm::engine
