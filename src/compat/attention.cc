#include "compat/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>

#include <limits>

#if __has_include(<ATen/ops/scaled_dot_product_attention.h>)
#include <ATen/ops/scaled_dot_product_attention.h>
#define MGDM_HAVE_SDPA 1
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

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale) {
#ifdef MGDM_HAVE_SDPA
  // Its is_causal aligns the first positions, ours the last: they agree for whole sequences. One
  // new position after many (a cached step) is better off with plain products: the fused kernels
  // may make a plan for every number of keys, some 60 ms each with cuDNN's.
  const bool whole = q.size(-2) == k.size(-2);
  if (whole || (!causal && q.size(-2) > 1))
    return at::scaled_dot_product_attention(q, k, v, /*attn_mask=*/{}, dropout, causal && whole,
                                            scale);
#endif
  return plain_attention(q, k, v, causal, dropout, scale);
}

}  // namespace mgdm::compat
