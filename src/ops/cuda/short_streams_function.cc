#ifdef MGDM_CUDA

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

// Behind the streams that began with x: hands it the sum of their gradients.
struct ShortStreams : torch::autograd::Node {
  explicit ShortStreams(const at::Tensor& x)
      : Node(torch::autograd::collect_next_edges(x)), sizes(x.sizes().vec()), there(x.options()) {}

  variable_list apply(variable_list&& gradients) override {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& gradient : gradients)
      if (gradient.defined()) parts.push_back(gradient.contiguous());
    if (parts.empty()) return {at::Tensor()};
    const c10::cuda::CUDAGuard guard(there.device());
    at::Tensor sum = at::empty(sizes, there);
    const KernelWork work("gradients of streams", bytes_of(parts) + bytes_of({sum}));
    for (std::size_t first = 0; first < parts.size(); first += kMostStreams) {
      StreamSum some{.out = sum.data_ptr<float>(), .adds = first > 0, .numbers = sum.numel()};
      while (some.count < kMostStreams &&
             first + static_cast<std::size_t>(some.count) < parts.size()) {
        some.parts[some.count] = raw(parts[first + static_cast<std::size_t>(some.count)]);
        ++some.count;
      }
      launch_sum_streams(some, c10::cuda::getCurrentCUDAStream());
      C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return {std::move(sum)};
  }

  std::string name() const override { return "ShortStreams"; }

  const std::vector<std::int64_t> sizes;
  const at::TensorOptions there;
};

}  // namespace

bool short_streams_take(const at::Tensor& x) {
  return at::GradMode::is_enabled() && x.requires_grad() && x.scalar_type() == at::kFloat &&
         residual_norm_takes(x, /*branch=*/{}, /*norm=*/{});
}

std::vector<at::Tensor> short_streams(const at::Tensor& x, std::int64_t count) {
  const at::Tensor rounded = x.detach().to(at::kBFloat16);
  const auto node = std::make_shared<ShortStreams>(x);
  std::vector<at::Tensor> streams;
  for (std::int64_t i = 0; i < count; ++i) {
    streams.push_back(rounded.detach());  // the same memory
    torch::autograd::create_gradient_edge(streams.back(), node);
  }
  return streams;
}

}  // namespace mgdm::ops::cuda

#endif
