#include "training/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "compat/operations.h"
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

Adamw::Adamw(const OptimizerSettings& settings, std::vector<nn::Parameter> parameters)
    : Optimizer(std::move(parameters)), settings_(settings) {
  for (const nn::Parameter& parameter : parameters_) {
    means_.push_back(at::zeros_like(parameter.value.detach()));
    squares_.push_back(at::zeros_like(parameter.value.detach()));
  }
  count_ = at::zeros({}, parameters_.front().value.options().dtype(at::kFloat));
}

std::vector<nn::NamedTensor> Adamw::state() const {
  std::vector<nn::NamedTensor> state{{"adamw.count", count_}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.push_back({"adamw.mean." + parameters_[i].name, means_[i]});
    state.push_back({"adamw.square." + parameters_[i].name, squares_[i]});
  }
  return state;
}

namespace {

void step_plain(compat::AdamwStep& step) {
  if (step.weight_decay > 0) {
    const at::Tensor keep = at::rsub(step.lr * step.weight_decay, 1);  // 1 - lr * decay
    for (at::Tensor& value : step.values) value.mul_(keep);
  }
  // In double: 1 - 0.999 in float has an error of 5e-5.
  const at::Tensor count = step.count.to(at::kDouble);
  const at::Tensor rate = (step.lr / (1 - at::pow(step.beta1, count))).to(at::kFloat);
  const at::Tensor root = (1 - at::pow(step.beta2, count)).sqrt().to(at::kFloat);
  for (std::size_t i = 0; i < step.values.size(); ++i) {
    const at::Tensor& gradient = step.gradients[i];
    at::Tensor &mean = step.means[i], &square = step.squares[i];
    mean.lerp_(gradient, 1 - step.beta1);
    square.mul_(step.beta2).addcmul_(gradient, gradient, 1 - step.beta2);
    step.values[i].sub_(mean.div(square.sqrt().div_(root).add_(step.eps)).mul_(rate));
  }
}

}  // namespace

void Adamw::step(const at::Tensor& factor) {
  const at::NoGradGuard no_grad;
  count_.add_(1);
  compat::AdamwStep others{.count = count_,
                           .lr = factor * settings_.lr,
                           .beta1 = settings_.beta1,
                           .beta2 = settings_.beta2,
                           .eps = settings_.eps};
  compat::AdamwStep matrices = others;
  matrices.weight_decay = settings_.weight_decay;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& value = parameters_[i].value;
    if (!value.grad().defined()) continue;
    compat::AdamwStep& part = value.dim() > 1 ? matrices : others;
    part.values.push_back(value.detach());  // the same numbers, outside the graph
    part.gradients.push_back(value.grad().detach());
    part.means.push_back(means_[i]);
    part.squares.push_back(squares_[i]);
  }
  for (compat::AdamwStep* const part : {&matrices, &others})
    if (!compat::fused_adamw(*part)) step_plain(*part);
}

}  // namespace mgdm::training
