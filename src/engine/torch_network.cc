#include "engine/torch_network.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "engine/decoding_kernels.h"
#include "engine/torch_sequences.h"
#include "nn/batch_tensors.h"

namespace mgdm::engine {

TorchNetwork::TorchNetwork(std::shared_ptr<nn::Model> model, bool bf16, bool one_by_one)
    : model_(std::move(model)), bf16_(bf16), one_by_one_(one_by_one) {}

std::size_t TorchNetwork::vocabulary() const {
  return static_cast<std::size_t>(model_->settings().vocabulary);
}

bool TorchNetwork::causal() const { return model_->settings().causal; }

void TorchNetwork::logits(const decoding::Rows& rows, std::int64_t loops, std::span<float> logits) {
  compat::with_memory_for_puzzles(rows.count, [&] {
    if (!one_by_one_) return row_logits(rows, loops, logits);
    const std::size_t length = rows.length, each = length * vocabulary();
    for (std::size_t row = 0; row < rows.count; ++row)
      row_logits({1, length, rows.tokens.subspan(row * length, length),
                  rows.frozen.subspan(row * length, length)},
                 loops, logits.subspan(row * each, each));
  });
}

void TorchNetwork::row_logits(const decoding::Rows& rows, std::int64_t loops,
                              std::span<float> logits) {
  const at::NoGradGuard no_grad;
  const auto count = static_cast<std::int64_t>(rows.count);
  const at::Tensor said =
      predictor_of(*model_, bf16_, loops)(nn::tokens_tensor(rows.tokens, count, model_->device()),
                                          nn::bool_tensor(rows.frozen, count, model_->device()))
          .logits();
  MGDM_CHECK(said.numel() == std::ssize(logits));
  at::from_blob(logits.data(), said.sizes(), at::kFloat).copy_(said);
}

std::unique_ptr<decoding::Sequence> TorchNetwork::start(std::int64_t) {
  return std::make_unique<TorchSequence>();
}

void TorchNetwork::next_logits(std::span<const decoding::Reading> readings,
                               std::span<float> logits) {
  const at::NoGradGuard no_grad;
  const compat::Autocast autocast(model_->device(), bf16_);
  compat::with_memory_for_puzzles(readings.size(), [&] {
    if (!one_by_one_) return read_on(*model_, readings, logits);
    const std::size_t each = vocabulary();
    for (std::size_t i = 0; i < readings.size(); ++i)
      read_on(*model_, readings.subspan(i, 1), logits.subspan(i * each, each));
  });
}

}  // namespace mgdm::engine
