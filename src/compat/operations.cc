#include "compat/operations.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/softmax.h>
#include <torch/version.h>

#include <limits>

#ifdef MGDM_CUDA
#include <ATen/ops/_fused_adamw.h>
#endif

#if __has_include(<ATen/ops/scaled_dot_product_attention.h>)
#include <ATen/ops/scaled_dot_product_attention.h>
#define MGDM_HAVE_SDPA 1
#endif

#if __has_include(<ATen/ops/_fused_rms_norm.h>)
#include <ATen/ops/rms_norm.h>
#define MGDM_HAVE_RMS_NORM 1
#endif

#if __has_include(<ATen/ops/_foreach_lerp.h>)
#include <ATen/ops/_foreach_lerp.h>
#define MGDM_HAVE_FOREACH_LERP 1
#endif

namespace mgdm::compat {
namespace {

at::Tensor plain_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           bool causal, double dropout, double scale) {
  const std::int64_t n = q.size(-2), m = k.size(-2);
  at::Tensor scores = at::matmul(q * scale, k.transpose(-2, -1));  // (B, H, N, M)
  if (causal && n > 1) {
    const at::Tensor hidden = at::ones({n, m}, q.options().dtype(at::kBool)).triu(m - n + 1);
    scores = scores.masked_fill(hidden, -std::numeric_limits<float>::infinity());
  }
  at::Tensor weights = at::softmax(scores, -1);
  if (dropout > 0) weights = at::dropout(weights, dropout, /*train=*/true);
  return at::matmul(weights, v);
}

// Whether LibTorch may take cuDNN's attention while it lives. That makes a plan for every number of
// keys, and a decoder has one more at every step.
class CudnnAttention {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
 public:
  explicit CudnnAttention(bool allowed) : before_(at::globalContext().userEnabledCuDNNSDP()) {
    at::globalContext().setSDPUseCuDNN(before_ && allowed);
  }
  ~CudnnAttention() { at::globalContext().setSDPUseCuDNN(before_); }
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;

 private:
  const bool before_;
#else
 public:
  explicit CudnnAttention(bool) {}
#endif
};

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale) {
#ifdef MGDM_HAVE_SDPA
  // PyTorch's is_causal aligns the first positions, ours the last: they agree for whole sequences,
  // and one new position (a cached step) sees everything.
  const bool whole = q.size(-2) == k.size(-2), one = q.size(-2) == 1;
  if (!causal || whole || one) {
    const CudnnAttention allowed(!one);
    return at::scaled_dot_product_attention(q, k, v, /*attn_mask=*/{}, dropout, causal && whole,
                                            scale);
  }
#endif
  return plain_attention(q, k, v, causal, dropout, scale);
}

at::Tensor rms_norm(const at::Tensor& x, double eps) {
#ifdef MGDM_HAVE_RMS_NORM
  return at::rms_norm(x, {x.size(-1)}, /*weight=*/{}, eps);
#else
  return x * at::rsqrt((x * x).mean(-1, /*keepdim=*/true) + eps);
#endif
}

void multiply_all(std::vector<at::Tensor>& tensors, const at::Tensor& factor) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  at::_foreach_mul_(tensors, factor);
#else
  for (at::Tensor& tensor : tensors) tensor.mul_(factor);
#endif
}

void lerp_all(std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& targets,
              double share) {
#ifdef MGDM_HAVE_FOREACH_LERP
  at::_foreach_lerp_(tensors, targets, share);
#else
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].lerp_(targets[i], share);
#endif
}

bool fused_adamw([[maybe_unused]] AdamwStep& step) {
#ifdef MGDM_CUDA
  if (step.values.empty() || !step.values.front().is_cuda()) return false;
  const std::vector<at::Tensor> counts(step.values.size(), step.count);
  at::_fused_adamw_(step.values, step.gradients, step.means, step.squares, /*max_exp_avg_sqs=*/{},
                    counts, step.lr, step.beta1, step.beta2, step.weight_decay, step.eps,
                    /*amsgrad=*/false, /*maximize=*/false);
  return true;
#else
  return false;
#endif
}

}  // namespace mgdm::compat
