#include "ops/attention.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <array>
#include <vector>

#include "compat/operations.h"
#include "ops/cpu/functions.h"
#include "ops/cuda/functions.h"
#include "ops/layers.h"

namespace mgdm::ops {

at::Tensor SeenPositions::with(const at::Tensor& now) {
  const std::int64_t before = count_;
  count_ += now.size(2);
  if (!room_.defined() || count_ > room_.size(2)) {
    std::vector<std::int64_t> sizes = now.sizes().vec();
    sizes[2] = before == 0 ? count_ : count_ + count_ / 4;
    const at::Tensor larger = at::empty(sizes, now.options());
    if (before > 0) larger.narrow(2, 0, before).copy_(room_.narrow(2, 0, before));
    room_ = larger;
  }
  room_.narrow(2, before, count_ - before).copy_(now.detach());
  return room_.narrow(2, 0, count_);
}

SeenPositions SeenPositions::of_rows(const at::Tensor& rows) const {
  SeenPositions some;
  some.room_ = room_.index_select(0, rows.to(room_.device()));
  some.count_ = count_;
  return some;
}

namespace {

using Heads = std::array<at::Tensor, 3>;  // queries, keys and values, each (B, H, N, D)

// Unbound, not selected one by one, and before anything changes places: the gradients are then
// stacked once, in the order of qkv.
Heads heads_of(const at::Tensor& qkv, double norm_eps) {
  Heads heads;
  const std::vector<at::Tensor> parts = qkv.unbind(2);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const bool plain = norm_eps <= 0 || i == 2;  // values stay as they are
    heads[i] = (plain ? parts[i] : compat::rms_norm(parts[i], norm_eps)).transpose(1, 2);
  }
  return heads;
}

}  // namespace

at::Tensor attention(const at::Tensor& qkv, const AttentionForm& form, KeysAndValues* seen) {
  if (seen == nullptr && cuda::attention_takes(qkv)) return cuda::attention(qkv, form);
  Heads heads = heads_of(qkv, form.head_norm_eps);
  if (seen != nullptr) {
    heads[1] = seen->keys.with(heads[1]);
    heads[2] = seen->values.with(heads[2]);
  }
  return attention(heads[0], heads[1], heads[2], form)
      .transpose(1, 2)
      .reshape({qkv.size(0), qkv.size(1), qkv.size(3) * qkv.size(4)});
}

at::Tensor attention_at(const at::Tensor& qkv, const at::Tensor& places,
                        const AttentionForm& form) {
  if (cuda::attention_at_takes(qkv, places, form)) return cuda::attention_at(qkv, places, form);
  return attention(qkv.index_select(0, places.reshape(-1))
                       .view({places.size(0), places.size(1), 3, qkv.size(2), qkv.size(3)}),
                   form);
}

at::Tensor attention_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        std::int64_t heads, const AttentionForm& form, KeysAndValues* seen) {
  const std::int64_t size = weight.size(0) / 3 / heads;
  const auto qkv_with = [&](const at::Tensor& some) {
    return linear(x, weight, some).view({x.size(0), x.size(1), 3, heads, size});
  };
  if (seen == nullptr && cuda::linear_takes(x, weight) && cuda::attention_takes_bias(x, size, bias))
    return cuda::attention(qkv_with(bias.detach()), form, bias);
  return attention(qkv_with(bias), form, seen);
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionForm& form) {
  return (cpu::takes(q) ? cpu::attention : compat::attention)(q, k, v, form.causal, form.dropout,
                                                              form.scale);
}

}  // namespace mgdm::ops
