#include "training/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "compat/operations.h"
#include "training/adamw.h"
#include "training/muon.h"

namespace mgdm::training {
namespace {

constexpr const char* kStateName = "optimizer";

double shape(const OptimizerSettings& settings, double done) {
  if (settings.schedule == "cosine") return 0.5 * (1 + std::cos(std::numbers::pi * done));
  if (settings.schedule == "linear" && settings.decay_share > 0)
    return std::min(1.0, (1 - done) / settings.decay_share);
  return 1;
}

}  // namespace

void Optimizer::step(double factor) {
  step(at::full({}, factor, parameters_.front().value.options().dtype(at::kFloat)));
}

void Optimizer::zero_grad() {
  for (nn::Parameter& parameter : parameters_) parameter.value.mutable_grad() = at::Tensor();
}

void Optimizer::load_state(const std::vector<nn::NamedTensor>& tensors, const std::string& source) {
  nn::assign(state(), tensors, source);
}

void Optimizer::save(const std::filesystem::path& folder, const nn::TensorFiles& files) const {
  nn::write_tensors(folder, kStateName, state(), files);
}

void Optimizer::load(const std::filesystem::path& folder) {
  load_state(nn::read_tensors(folder, kStateName), (folder / kStateName).string());
}

namespace {

// Several as one: each has its own part of the parameters.
class Composite : public Optimizer {
 public:
  Composite(const std::vector<nn::Parameter>& parameters,
            std::vector<std::unique_ptr<Optimizer>> parts)
      : Optimizer(parameters), parts_(std::move(parts)) {}

  void step(const at::Tensor& factor) override {
    for (const auto& part : parts_) part->step(factor);
  }
  std::vector<nn::NamedTensor> state() const override {
    std::vector<nn::NamedTensor> all;
    for (const auto& part : parts_)
      for (nn::NamedTensor& tensor : part->state()) all.push_back(std::move(tensor));
    return all;
  }

 private:
  std::vector<std::unique_ptr<Optimizer>> parts_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          const std::vector<nn::Parameter>& parameters) {
  if (settings.optimizer == "adamw") return std::make_unique<Adamw>(settings, parameters);
  std::vector<nn::Parameter> matrices, others;
  for (const nn::Parameter& parameter : parameters)
    (parameter.role == nn::Role::kMatrix ? matrices : others).push_back(parameter);
  std::vector<std::unique_ptr<Optimizer>> parts;
  if (!matrices.empty()) parts.push_back(std::make_unique<Muon>(settings, std::move(matrices)));
  if (!others.empty()) parts.push_back(std::make_unique<Adamw>(settings, std::move(others)));
  return std::make_unique<Composite>(parameters, std::move(parts));
}

at::Tensor clip_gradients(const std::vector<nn::Parameter>& parameters, double max_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const nn::Parameter& parameter : parameters)
    if (parameter.value.grad().defined()) gradients.push_back(parameter.value.grad());
  if (gradients.empty()) return at::zeros({}, at::kFloat);
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients, 2)).norm();
  if (max_norm > 0) {
    // As torch.nn.utils does, so that a norm of 0 is harmless.
    const at::Tensor scale = (max_norm / (norm + 1e-6)).clamp_max(1);
    compat::multiply_all(gradients, scale);
  }
  return norm;
}

double learning_rate_factor(const OptimizerSettings& settings, std::int64_t step, double done) {
  const double warmup = settings.warmup_steps > 0 ? static_cast<double>(step + 1) /
                                                        static_cast<double>(settings.warmup_steps)
                                                  : 1;
  return std::min(1.0, warmup) * shape(settings, std::clamp(done, 0.0, 1.0));
}

}  // namespace mgdm::training
