#include "training/muon.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"

namespace mgdm::training {

at::Tensor orthogonalize(const at::Tensor& x) {
  constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;
  const bool tall = x.size(1) > x.size(2);  // the smaller side gives the smaller products
  at::Tensor y = tall ? x.transpose(1, 2) : x;
  y = y / (y.norm(2, {1, 2}, /*keepdim=*/true) + 1e-7);
  for (int i = 0; i < 5; ++i) {
    const at::Tensor a = at::bmm(y, y.transpose(1, 2));  // (G, R, R)
    const at::Tensor b = at::baddbmm(a, a, a, kB, kC);   // b A + c A A
    y = at::baddbmm(y, b, y, kA, /*alpha=*/1);           // a X + B X
  }
  return tall ? y.transpose(1, 2) : y;
}

Muon::Muon(const OptimizerSettings& settings, std::vector<nn::Parameter> parameters)
    : Optimizer(std::move(parameters)), settings_(settings) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> by_shape;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& value = parameters_[i].value;
    MGDM_CHECK(value.dim() == 2);
    const auto [place, is_new] =
        by_shape.try_emplace({value.size(0), value.size(1)}, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[place->second].members.push_back(i);
  }
  for (Group& group : groups_) {
    const at::Tensor& first = parameters_[group.members.front()].value;
    group.momentum =
        at::zeros({static_cast<std::int64_t>(group.members.size()), first.size(0), first.size(1)},
                  first.options());
  }
}

std::vector<nn::NamedTensor> Muon::state() const {
  std::vector<nn::NamedTensor> state;
  for (const Group& group : groups_)
    for (std::size_t i = 0; i < group.members.size(); ++i)
      state.push_back({"muon.momentum." + parameters_[group.members[i]].name,
                       group.momentum.select(0, static_cast<std::int64_t>(i))});
  return state;
}

void Muon::step(const at::Tensor& factor) {
  const at::NoGradGuard no_grad;
  const at::Tensor lr = factor * settings_.muon_lr;  // ()
  for (Group& group : groups_) {
    std::vector<at::Tensor> values, gradients;
    for (const std::size_t i : group.members) {
      const at::Tensor& value = parameters_[i].value;
      values.push_back(value.detach());
      gradients.push_back(value.grad().defined() ? value.grad() : at::zeros_like(values.back()));
    }
    const at::Tensor gradient = at::stack(gradients);  // (G, R, C)
    group.momentum.mul_(settings_.momentum).add_(gradient);
    const at::Tensor update = gradient.add(group.momentum, settings_.momentum);
    // bf16 is exact enough here, and fast on a GPU only.
    const at::Tensor turned = orthogonalize(update.is_cuda() ? update.to(at::kBFloat16) : update);
    const double scale = std::sqrt(
        std::max(1.0, static_cast<double>(update.size(1)) / static_cast<double>(update.size(2))));
    if (settings_.weight_decay > 0) {
      const at::Tensor keep = at::rsub(lr * settings_.weight_decay, 1);  // 1 - lr * decay
      for (at::Tensor& value : values) value.mul_(keep);
    }
    at::_foreach_sub_(values, turned.to(at::kFloat).mul(lr * scale).unbind());
  }
}

}  // namespace mgdm::training
