#include "training/muon.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "compat/operations.h"

namespace mgdm::training {

std::vector<at::Tensor> newton_schulz(std::vector<at::Tensor> x) {
  constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;
  // The products are with the square of the smaller side, from the left or, for a tall matrix, from
  // the right: nothing is transposed in memory, and the result lies as x does. Squares of the same
  // size lie in one tensor, whatever matrices they are of, and are multiplied in one batch.
  const auto side = [](const at::Tensor& y) { return std::min(y.size(1), y.size(2)); };
  std::map<std::int64_t, std::int64_t> count;  // by side
  std::vector<std::int64_t> first;             // where the squares of each x begin
  for (const at::Tensor& y : x) {
    std::int64_t& before = count[side(y)];
    first.push_back(before);
    before += y.size(0);
  }
  std::map<std::int64_t, at::Tensor> a, b;
  for (const auto& [size, number] : count)
    a[size] = at::empty({number, size, size}, x.front().options());
  const auto squares_of = [&](const std::map<std::int64_t, at::Tensor>& all, std::size_t i) {
    return all.at(side(x[i])).narrow(0, first[i], x[i].size(0));
  };
  for (int turn = 0; turn < 5; ++turn) {
    for (std::size_t i = 0; i < x.size(); ++i) {  // A = X^T X or X X^T
      const at::Tensor &y = x[i], turned = y.transpose(1, 2);
      const bool tall = y.size(1) > y.size(2);
      at::Tensor square = squares_of(a, i);
      at::bmm_out(square, tall ? turned : y, tall ? y : turned);
    }
    for (const auto& [size, square] : a)  // B = b A + c A A
      b[size] = at::baddbmm(square, square, square, kB, kC);
    for (std::size_t i = 0; i < x.size(); ++i) {  // a X + X B, or a X + B X
      const at::Tensor y = x[i], square = squares_of(b, i);
      const bool tall = y.size(1) > y.size(2);
      x[i] = at::baddbmm(y, tall ? y : square, tall ? square : y, kA);
    }
  }
  return x;
}

namespace {

at::Tensor normalized(const at::Tensor& x) {
  return x / (x.norm(2, {1, 2}, /*keepdim=*/true) + 1e-7);
}

// Several batches. On a GPU all of them at once, in bf16, which is exact enough here.
std::vector<at::Tensor> orthogonalize_all(std::vector<at::Tensor> batches) {
  const bool on_gpu = batches.front().is_cuda();
  for (at::Tensor& x : batches) x = on_gpu ? normalized(x).to(at::kBFloat16) : orthogonalize(x);
  return on_gpu ? newton_schulz(std::move(batches)) : batches;
}

}  // namespace

at::Tensor orthogonalize(const at::Tensor& x) {
  // A tall matrix is turned on its side, so that runs on a CPU keep the bits they always had.
  const bool tall = x.size(1) > x.size(2);
  const at::Tensor y = newton_schulz({normalized(tall ? x.transpose(1, 2) : x)}).front();
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
  std::vector<at::Tensor> updates;                   // by group: (G, R, C)
  for (Group& group : groups_) {
    std::vector<at::Tensor> gradients;
    for (const std::size_t i : group.members) {
      const at::Tensor& value = parameters_[i].value;
      gradients.push_back(value.grad().defined() ? value.grad() : at::zeros_like(value.detach()));
    }
    const at::Tensor gradient = at::stack(gradients);
    group.momentum.mul_(settings_.momentum).add_(gradient);
    updates.push_back(gradient.add(group.momentum, settings_.momentum));
  }
  const std::vector<at::Tensor> turned = orthogonalize_all(std::move(updates));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const at::Tensor& update = turned[g];
    std::vector<at::Tensor> values;
    for (const std::size_t i : groups_[g].members) values.push_back(parameters_[i].value.detach());
    const double scale = std::sqrt(
        std::max(1.0, static_cast<double>(update.size(1)) / static_cast<double>(update.size(2))));
    if (settings_.weight_decay > 0)  // times 1 - lr * decay
      compat::multiply_all(values, at::rsub(lr * settings_.weight_decay, 1));
    at::_foreach_sub_(values, update.to(at::kFloat).mul(lr * scale).unbind());
  }
}

}  // namespace mgdm::training
