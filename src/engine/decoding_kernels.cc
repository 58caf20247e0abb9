#include "engine/decoding_kernels.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "compat/device.h"
#include "data/vocabulary.h"
#include "decoding/attempt.h"
#include "decoding/orders.h"

namespace mgdm::engine {

Predictor predictor_of(nn::Model& model, bool bf16, std::int64_t loops, const at::Tensor& wanted) {
  return [&model, bf16, loops, wanted](const at::Tensor& tokens, const at::Tensor& frozen) {
    const at::NoGradGuard no_grad;
    const compat::Autocast autocast(model.device(), bf16);
    nn::Input input{tokens, frozen, /*training=*/false, loops};
    input.wanted = wanted;
    return model.forward(input).last();
  };
}

nn::TensorRows tensors_of(std::span<const decoding::Puzzle* const> puzzles, c10::Device device) {
  data::Rows rows(puzzles.size(), puzzles.front()->tokens.size());
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    const decoding::Puzzle& puzzle = *puzzles[i];
    MGDM_CHECK(puzzle.tokens.size() == rows.length && puzzle.frozen.size() == rows.length);
    std::ranges::copy(puzzle.frozen, rows[i].frozen.begin());
    for (std::size_t n = 0; n < rows.length; ++n)
      rows[i].tokens[n] = puzzle.frozen[n] ? puzzle.tokens[n] : puzzle.specials.mask;
    rows.items[i] = puzzle.item;
  }
  return nn::tensors_of(rows, device);
}

namespace {

using KernelOrder = ops::DecodingRule::Order;

// An order that is not in this table is decoded by the plain decoder, on any device.
constexpr std::array<std::pair<std::string_view, KernelOrder>, 5> kKernelOrders{{
    {"topk", KernelOrder::kTopk},
    {"margin", KernelOrder::kMargin},
    {"random", KernelOrder::kRandom},
    {"threshold", KernelOrder::kThreshold},
    {"entropy", KernelOrder::kEntropy},
}};

}  // namespace

std::optional<ops::DecodingRule> rule_of(const decoding::DecodingSettings& settings) {
  const auto order =
      std::ranges::find(kKernelOrders, settings.order, [](const auto& o) { return o.first; });
  if (order == kKernelOrders.end()) return std::nullopt;
  return ops::DecodingRule{.order = order->second,
                           .steps = settings.steps,
                           .revise = settings.revise == "on",
                           .masks_again = settings.masks_again(),
                           .early_stop = settings.early_stop,
                           .noise = settings.noise,
                           .temperature = settings.temperature,
                           .threshold = settings.threshold,
                           .entropy_bound = settings.entropy_bound,
                           .seed = static_cast<std::uint64_t>(settings.seed),
                           .mask_token = data::kMask,
                           .never = {data::kSep, data::kMask, data::kUnk}};
}

at::Tensor masked_counts(const decoding::DecodingSettings& settings, std::int64_t length) {
  at::Tensor counts = at::empty({settings.steps, length + 1}, at::kInt);
  int* count = counts.data_ptr<int>();
  for (std::int64_t t = settings.steps - 1; t >= 0; --t)
    for (std::int64_t diffused = 0; diffused <= length; ++diffused)
      *count++ =
          static_cast<int>(decoding::masked_count(static_cast<std::size_t>(diffused), t, settings));
  return counts;
}

}  // namespace mgdm::engine
