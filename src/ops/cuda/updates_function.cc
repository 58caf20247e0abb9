#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"
#include "ops/cuda/updates.h"

namespace mgdm::ops::cuda {
namespace {

at::Tensor floats_beside(const at::Tensor& tensor, std::size_t count) {
  return at::empty({static_cast<std::int64_t>(count)}, tensor.options().dtype(at::kFloat));
}

int count_of(const auto& list) { return static_cast<int>(list.size()); }

}  // namespace

bool updates_take(const std::vector<at::Tensor>& tensors) {
  return with_our_kernels() && !tensors.empty() &&
         std::ranges::all_of(tensors, [](const at::Tensor& tensor) {
           return !tensor.defined() || (tensor.is_cuda() && tensor.is_contiguous() &&
                                        tensor.scalar_type() == at::kFloat);
         });
}

at::Tensor clip(const std::vector<at::Tensor>& gradients, double max_norm) {
  const c10::cuda::CUDAGuard guard(gradients.front().device());
  std::vector<GradientTensor> list;
  for (const at::Tensor& gradient : gradients)
    list.push_back({gradient.data_ptr<float>(), gradient.numel()});
  at::Tensor norm = at::empty({}, gradients.front().options());
  at::Tensor workspace =
      floats_beside(gradients.front(), clip_workspace(list.data(), count_of(list)));
  const KernelWork work("clip");  // what it moves depends on the norm
  C10_CUDA_CHECK(launch_clip(list.data(), count_of(list), static_cast<float>(max_norm),
                             norm.data_ptr<float>(), workspace.data_ptr<float>(),
                             c10::cuda::getCurrentCUDAStream()));
  return norm;
}

void adamw(const AdamwUpdate& update) {
  const c10::cuda::CUDAGuard guard(update.values.front().device());
  MGDM_CHECK(updates_take(update.means) && updates_take(update.squares) &&
             updates_take({update.count, update.factor}));
  std::vector<AdamwTensor> list;
  for (std::size_t i = 0; i < update.values.size(); ++i) {
    const at::Tensor& value = update.values[i];
    list.push_back({value.data_ptr<float>(), floats(update.gradients[i]),
                    update.means[i].data_ptr<float>(), update.squares[i].data_ptr<float>(),
                    value.numel(), value.dim() > 1});
  }
  const AdamwSettings settings{update.lr, update.beta1, update.beta2, update.eps,
                               update.weight_decay};
  at::Tensor workspace = floats_beside(update.count, kAdamwWorkspace);
  const double changed =
      bytes_of(update.values) + bytes_of(update.means) + bytes_of(update.squares);
  const KernelWork work("AdamW", 2 * changed + bytes_of(update.gradients));
  C10_CUDA_CHECK(launch_adamw(list.data(), count_of(list), settings, floats(update.factor),
                              update.count.data_ptr<float>(), workspace.data_ptr<float>(),
                              c10::cuda::getCurrentCUDAStream()));
}

void muon_momentum(const MuonMomentum& update) {
  const c10::cuda::CUDAGuard guard(update.momenta.front().device());
  std::vector<MuonTensor> list;
  for (std::size_t i = 0; i < update.momenta.size(); ++i) {
    const at::Tensor &momentum = update.momenta[i], &turned = update.turned[i];
    MGDM_CHECK(turned.scalar_type() == at::kBFloat16 && turned.is_contiguous());
    list.push_back({.gradient = floats(update.gradients[i]),
                    .momentum = momentum.data_ptr<float>(),
                    .turned = turned.data_ptr(),
                    .count = momentum.numel()});
  }
  at::Tensor workspace =
      floats_beside(update.momenta.front(), muon_workspace(list.data(), count_of(list)));
  const KernelWork work("Muon, momentum");  // two kernels, about equally long
  C10_CUDA_CHECK(
      launch_muon_momentum(list.data(), count_of(list), static_cast<float>(update.momentum),
                           workspace.data_ptr<float>(), c10::cuda::getCurrentCUDAStream()));
}

void muon_update(const MuonUpdate& update) {
  const c10::cuda::CUDAGuard guard(update.values.front().device());
  MGDM_CHECK(updates_take(update.values) && updates_take({update.factor}));
  std::vector<MuonTensor> list;
  for (std::size_t i = 0; i < update.values.size(); ++i) {
    const at::Tensor &value = update.values[i], &turned = update.turned[i];
    MGDM_CHECK(turned.scalar_type() == at::kBFloat16 && turned.is_contiguous());
    const double ratio = static_cast<double>(value.size(0)) / static_cast<double>(value.size(1));
    list.push_back({.value = value.data_ptr<float>(),
                    .turned = turned.data_ptr(),
                    .count = value.numel(),
                    .scale = static_cast<float>(std::sqrt(std::max(1.0, ratio)))});
  }
  const KernelWork work("Muon, update", 2 * bytes_of(update.values) + bytes_of(update.turned));
  C10_CUDA_CHECK(launch_muon_update(list.data(), count_of(list), static_cast<float>(update.lr),
                                    static_cast<float>(update.weight_decay), floats(update.factor),
                                    c10::cuda::getCurrentCUDAStream()));
}

}  // namespace mgdm::ops::cuda

#endif
