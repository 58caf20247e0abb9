#include "engine/fake_networks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/random.h"
#include "data/vocabulary.h"

namespace mgdm::engine {
namespace {

constexpr double kKnown = 12, kGuess = 1;  // logits of a right prediction and of a wrong one

// The first row of answers (K, N) that agrees with `tokens` (N) wherever `frozen` (N).
std::int64_t matching_row(const at::Tensor& answers, const at::Tensor& tokens,
                          const at::Tensor& frozen) {
  const at::Tensor rows = ((answers == tokens) | ~frozen).all(1).nonzero();
  MGDM_CHECK(rows.size(0) > 0);
  return rows[0].item<std::int64_t>();
}

}  // namespace

Network random_network(std::uint64_t seed, std::int64_t vocabulary, double scale) {
  return [=](const at::Tensor& tokens, const at::Tensor&) {
    const at::Tensor rows = tokens.to(at::kCPU).contiguous();
    at::Tensor logits = at::empty({rows.size(0), rows.size(1), vocabulary}, at::kFloat);
    float* out = logits.data_ptr<float>();
    const std::size_t row_bytes = static_cast<std::size_t>(rows.size(1)) * sizeof(std::int64_t);
    const char* bytes = reinterpret_cast<const char*>(rows.data_ptr<std::int64_t>());
    for (std::int64_t b = 0; b < rows.size(0); ++b, bytes += row_bytes) {
      Stream random(seed ^ stable_hash({bytes, row_bytes}), Purpose::kTest, 0);
      for (std::int64_t i = 0; i < rows.size(1) * vocabulary; ++i)
        *out++ = static_cast<float>(scale) * random.uniform();
    }
    return logits.to(tokens.device());
  };
}

Network oracle_network(const at::Tensor& answers, const at::Tensor& difficulty,
                       std::int64_t vocabulary) {
  return [=](const at::Tensor& batch_tokens, const at::Tensor& batch_frozen) {
    const at::Tensor tokens = batch_tokens.to(at::kCPU), frozen = batch_frozen.to(at::kCPU);
    at::Tensor logits = at::zeros({tokens.size(0), tokens.size(1), vocabulary}, at::kFloat);
    for (std::int64_t b = 0; b < tokens.size(0); ++b) {
      const std::int64_t k = matching_row(answers, tokens[b], frozen[b]);
      const auto shown_right = ((tokens[b] == answers[k]) & ~frozen[b]).sum().item<std::int64_t>();
      for (std::int64_t n = 0; n < tokens.size(1); ++n) {
        const auto right = answers[k][n].item<std::int64_t>();
        const auto hard = difficulty[k][n].item<std::int64_t>();
        const std::int64_t wrong = right + 1 < vocabulary ? right + 1 : data::kSpecialTokens;
        const double penalty = 0.01 * static_cast<double>(hard);
        if (hard <= shown_right)
          logits[b][n][right] = kKnown - penalty;
        else
          logits[b][n][wrong] = kGuess - penalty;
      }
    }
    return logits.to(batch_tokens.device());
  };
}

Network replay_network(std::vector<at::Tensor> logits) {
  MGDM_CHECK(!logits.empty());
  const auto calls = std::make_shared<std::size_t>(0);
  return [logits = std::move(logits), calls](const at::Tensor& tokens, const at::Tensor&) {
    const at::Tensor& recorded = logits[std::min((*calls)++, logits.size() - 1)];
    MGDM_CHECK(recorded.size(0) == tokens.size(0) && recorded.size(1) == tokens.size(1));
    return recorded.to(tokens.device());
  };
}

}  // namespace mgdm::engine
