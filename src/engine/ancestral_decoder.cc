#include "engine/ancestral_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "nn/vector_reader.h"
#include "objectives/vdm_schedule.h"
#include "ops/draws.h"

namespace mgdm::engine {
namespace {

using decoding::SlotId;
using decoding::TryResult;

// Normal numbers (B, N, D) of a pass of a try.
at::Tensor normal_draws(const nn::TensorRows& puzzles, const decoding::Puzzle& any,
                        std::int64_t pass, std::int64_t size) {
  const std::int64_t length = puzzles.tokens.size(1), count = length * size;
  const at::Tensor step =
      at::full({}, decoding::draw_step(any.attempt, 0) + pass, puzzles.items.options());
  const at::Tensor uniform = ops::uniform(static_cast<std::uint64_t>(any.settings.seed),
                                          Purpose::kDecode, puzzles.items, step, count + count % 2);
  return ops::normal_of(uniform).slice(1, 0, count).view({-1, length, size});
}

// One step back in time, from the level gamma_t (1) to gamma_s (1).
at::Tensor earlier(const at::Tensor& z, const at::Tensor& x_hat, const at::Tensor& gamma_t,
                   const at::Tensor& gamma_s, const at::Tensor& eps) {
  const at::Tensor c = -at::expm1(gamma_s - gamma_t);
  return nn::signal(gamma_s) * ((1 - c) / nn::signal(gamma_t) * z + c * x_hat) +
         nn::noise(gamma_s) * c.sqrt() * eps;
}

// As decoding/network.h has it, (B, N, V).
at::Tensor answer_log_probs(const at::Tensor& logits) {
  at::Tensor allowed = logits.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  for (const data::Token token : {data::kSep, data::kMask, data::kUnk})
    allowed.select(-1, token).fill_(-std::numeric_limits<float>::infinity());
  return at::log_softmax(allowed, -1);
}

}  // namespace

AncestralDecoder::AncestralDecoder(std::shared_ptr<nn::Model> model, bool bf16, bool one_by_one)
    : model_(std::move(model)), bf16_(bf16), one_by_one_(one_by_one) {
  MGDM_CHECK(model_->settings().vectors > 0);
}

bool AncestralDecoder::takes(const decoding::Try& one) const {
  return one.puzzle.settings.decoder == decoding::Decoder::kAncestral;
}

void AncestralDecoder::join(SlotId slot, decoding::Try one) {
  const auto fits = [&](const Batch& batch) {
    const decoding::Puzzle& other = batch.rows.front().one.puzzle;
    return batch.passes == 0 && other.tokens.size() == one.puzzle.tokens.size() &&
           other.settings == one.puzzle.settings && other.attempt == one.puzzle.attempt;
  };
  const auto found =
      one_by_one_ ? batches_.end() : std::find_if(batches_.begin(), batches_.end(), fits);
  Batch& batch = found == batches_.end() ? batches_.emplace_back() : *found;
  batch.rows.push_back({slot, std::move(one)});
}

bool AncestralDecoder::cancel(SlotId slot) {
  for (Batch& batch : batches_)
    for (Row& row : batch.rows)
      if (row.slot == slot && !row.gone) return row.gone = true;
  return false;
}

std::size_t AncestralDecoder::active() const {
  std::ptrdiff_t count = 0;
  for (const Batch& batch : batches_) count += std::ranges::count(batch.rows, false, &Row::gone);
  return static_cast<std::size_t>(count);
}

std::vector<TryResult> AncestralDecoder::pass() {
  const at::NoGradGuard no_grad;
  std::vector<TryResult> results;
  for (Batch& batch : batches_) {
    stop_if_interrupted();
    try {
      compat::with_memory_for_puzzles(batch.rows.size(), [&] { advance(batch, results); });
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      for (Row& row : batch.rows)
        if (!std::exchange(row.gone, true))
          results.push_back({.slot = row.slot, .error = std::current_exception()});
    }
  }
  std::erase_if(batches_,
                [](const Batch& batch) { return std::ranges::all_of(batch.rows, &Row::gone); });
  return results;
}

void AncestralDecoder::advance(Batch& batch, std::vector<TryResult>& results) const {
  const decoding::Puzzle& any = batch.rows.front().one.puzzle;
  const std::int64_t size = model_->settings().vectors;  // D
  const std::int64_t step = batch.passes, steps = any.settings.steps;
  if (step == 0) {
    std::vector<const decoding::Puzzle*> all;
    for (const Row& row : batch.rows) all.push_back(&row.one.puzzle);
    batch.puzzles = tensors_of(all, model_->device());
    // z_1 has the draws of the pass after the last, which needs none.
    batch.z = normal_draws(batch.puzzles, any, steps, size);
    batch.x_hat = at::zeros_like(batch.z);
  }
  const nn::TensorRows& puzzles = batch.puzzles;
  const at::Tensor vectors = nn::unit_rows(model_->parameters().at("transformer.vdm.tokens"));
  const objectives::NoiseSchedule schedule(model_->parameters());
  const auto gamma_at = [&](std::int64_t k) {
    const double t =
        1 - static_cast<double>(k) / static_cast<double>(std::max<std::int64_t>(1, steps - 1));
    return schedule.at(at::full({1}, t, vectors.options())).gamma;
  };
  const at::Tensor gamma = gamma_at(step);
  at::Tensor logits;
  {
    const compat::Autocast autocast(model_->device(), bf16_);
    logits = model_
                 ->forward({.tokens = puzzles.tokens,
                            .frozen = puzzles.frozen,
                            .vectors = batch.z,
                            .noise_level = gamma.expand({batch.z.size(0)}),
                            .guess = batch.x_hat})
                 .last()
                 .logits();
  }
  batch.x_hat = nn::expected_vectors(logits, vectors);
  const auto [score, prediction] = answer_log_probs(logits).max(-1);  // (B, N)
  ++batch.passes;
  const at::Tensor tokens = at::where(puzzles.frozen, puzzles.tokens, prediction).cpu();
  const at::Tensor confidence = score.exp().masked_fill(puzzles.frozen, 1).cpu();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (!batch.rows[i].gone) tell(batch.rows[i], batch, tokens[row], confidence[row], results);
  }
  if (step + 1 < steps)
    batch.z = earlier(batch.z, batch.x_hat, gamma, gamma_at(step + 1),
                      normal_draws(puzzles, any, step, size));
}

// Tells the row's observer, and gives the result where that was its last pass.
void AncestralDecoder::tell(Row& row, const Batch& batch, const at::Tensor& tokens,
                            const at::Tensor& confidence, std::vector<TryResult>& results) const {
  const decoding::Puzzle& puzzle = row.one.puzzle;
  TryResult result{.slot = row.slot, .tokens = nn::tokens_of(tokens), .passes = batch.passes};
  const bool open = std::ranges::count(puzzle.frozen, 0) > 0;
  if (!open) result.passes = 0;  // what is all given is not decoded
  row.gone = !open || batch.passes == puzzle.settings.steps;
  if (row.one.observer && open) {
    try {
      const bool go_on = row.one.observer(
          {.attempt = puzzle.attempt,
           .pass = batch.passes - 1,
           .tokens = result.tokens,
           .confidence = {confidence.contiguous().data_ptr<float>(), result.tokens.size()}});
      row.gone = row.gone || !go_on;
    } catch (...) {
      result.error = std::current_exception();
      row.gone = true;
    }
  }
  if (row.gone) results.push_back(std::move(result));
}

}  // namespace mgdm::engine
