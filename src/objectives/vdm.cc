// VDM on tokens (Kingma et al., 2021; unit vectors and guesses as in Plaid, Gulrajani and
// Hashimoto, 2023): a token is a vector of a learned table, noise is normal, and the loss is the
// variational bound in continuous time.
//
// A fraction kReconstructed of the examples is shown at t = 0 for the reconstruction, the others at
// random times for the diffusion term. Each counts for the whole batch, so the mean is the bound.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.h"
#include "nn/vector_reader.h"
#include "objectives/objective.h"
#include "objectives/terms.h"
#include "objectives/vdm_schedule.h"
#include "ops/draws.h"

namespace mgdm::objectives {
namespace {

constexpr double kReconstructed = 0.125;
// How strongly the density of times follows the losses. Small, so that its gradient is a small part
// of the norm that clipping looks at, while Adam divides by the size of each gradient anyway.
// Chosen by this argument; other values were not compared.
constexpr double kFollow = 0.01;

class Vdm : public Objective {
 public:
  Vdm(const Settings& settings, const nn::Parameters* parameters) : Objective(settings) {
    if (parameters == nullptr) return;
    table_ = parameters->at("transformer.vdm.tokens");
    schedule_.emplace(*parameters);
  }

  std::vector<Noised> noise(const Batch& batch, std::uint64_t seed) const override {
    // Spread evenly over the batch where its places are known, from a random start.
    at::Tensor u = batch.place.defined()
                       ? ops::uniform(seed, Purpose::kTimestep,
                                      at::zeros({1}, batch.items.options()), batch.step, 1)
                                 .select(1, 0) +
                             batch.place
                       : draw(batch, seed, 0);
    u = u - u.floor();
    const at::Tensor reconstructed = u < kReconstructed;
    const at::Tensor time =
        ((u - kReconstructed) / (1 - kReconstructed)).masked_fill(reconstructed, 0);
    const at::Tensor t = (below(time, last_level()) + 1).masked_fill(reconstructed, 0);
    return {noised(batch, seed, t, time)};
  }

  // Level 0 is the reconstruction; the others divide the time into equal parts.
  Noised noise_at(const Batch& batch, std::uint64_t seed, const at::Tensor& t) const override {
    return noised(batch, seed, t, t.to(at::kFloat) / static_cast<double>(last_level()));
  }

  nn::Input shown(const Batch& batch, const Noised& noised, const Guess& guess) const override {
    MGDM_CHECK(schedule_);
    const at::Tensor rows = nn::unit_rows(table_);
    const at::Tensor gamma = schedule_->at(noised.time).gamma;
    nn::Input input{
        .tokens = noised.input,
        .frozen = batch.frozen,
        .vectors = nn::noised_vectors(nn::rows_at(rows, batch.tokens), noised.eps, gamma),
        .noise_level = gamma};
    if (noised.guessed.defined()) {
      const at::NoGradGuard no_grad;
      const at::Tensor x_hat = nn::expected_vectors(guess(input).logits(), rows);
      input.guess = x_hat * noised.guessed.view({-1, 1, 1});
    }
    return input;
  }

  bool is_cross_entropy() const override { return false; }

  at::Tensor token_loss(const nn::Prediction& prediction, const Batch& batch,
                        const Noised& noised) const override {
    MGDM_CHECK(schedule_);
    const at::Tensor logits = prediction.logits();  // (B, N, V)
    const at::Tensor rows = nn::unit_rows(table_).to(logits.scalar_type());
    const NoiseLevel level = schedule_->at(noised.time);
    const at::Tensor diffusion =
        diffusion_loss(nn::rows_at(rows, batch.tokens), nn::expected_vectors(logits, rows), level);
    const at::Tensor reconstructed = (noised.t == 0).unsqueeze(1);  // (B, 1)
    const at::Tensor drawn =
        at::where(reconstructed, token_cross_entropy(logits, batch.tokens) / kReconstructed,
                  diffusion / (1 - kReconstructed));
    // The density follows what makes the loss scatter, E[loss²] (Kingma et al., section 5.1); in
    // the loss itself this is 0.
    const at::Tensor follow =
        (kFollow * diffusion.detach().square() * -level.log_density.unsqueeze(1))
            .masked_fill(reconstructed, 0);
    return drawn + prior_divergence(schedule_->last(), table_.size(1)) + follow - follow.detach();
  }

 private:
  std::int64_t last_level() const { return std::max<std::int64_t>(1, settings_.steps - 1); }

  // The numbers of an example are for its time and for whether it is shown a guess.
  static at::Tensor draw(const Batch& batch, std::uint64_t seed, std::int64_t which) {
    return ops::uniform(seed, Purpose::kTimestep, batch.items, batch.step, 2).select(1, which);
  }

  Noised noised(const Batch& batch, std::uint64_t seed, const at::Tensor& t,
                const at::Tensor& time) const {
    MGDM_CHECK(table_.defined());
    const std::int64_t length = batch.tokens.size(1), size = table_.size(1);
    const at::Tensor output = batch.frozen.logical_not();
    Noised noised{batch.tokens.masked_fill(output, kMask), output, output.to(at::kFloat), t};
    noised.time = time;
    noised.eps = ops::normal(seed, Purpose::kNoise, batch.items, batch.step, length * size)
                     .view({-1, length, size});
    if (settings_.self_condition > 0)
      noised.guessed = draw(batch, seed, 1) < settings_.self_condition;
    return noised;
  }

  at::Tensor table_;  // (V, D)
  std::optional<NoiseSchedule> schedule_;
};

}  // namespace

std::unique_ptr<Objective> make_vdm(const Settings& settings, const nn::Parameters* parameters) {
  return std::make_unique<Vdm>(settings, parameters);
}

}  // namespace mgdm::objectives
