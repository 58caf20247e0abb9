#ifdef MGDM_HAVE_VECTORS

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "compat/parallel.h"
#include "ops/cpu/attention_head.h"
#include "ops/cpu/functions.h"

namespace mgdm::ops::cpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Problem {
  HeadShape shape;  // of every head
  double dropout = 0;
  std::uint64_t key = 0;  // of dropout

  Problem(const at::Tensor& q, const at::Tensor& k, bool causal, double dropout_, double scale,
          std::uint64_t key_)
      : shape{.n = static_cast<std::size_t>(q.size(2)),
              .m = static_cast<std::size_t>(k.size(2)),
              .size = static_cast<std::size_t>(q.size(3)),
              .causal = causal,
              .scale = static_cast<float>(scale)},
        dropout(dropout_),
        key(key_) {}

  std::int64_t weights() const { return static_cast<std::int64_t>(shape.weights()); }
};

// The positions of one head, at a stride of their own; a position's numbers lie side by side.
vectors::MutableRows rows(const at::Tensor& all, std::int64_t head) {
  return {all.data_ptr<float>() + head / all.size(1) * all.stride(0) +
              head % all.size(1) * all.stride(1),
          static_cast<std::size_t>(all.stride(2))};
}

vectors::ConstRows const_rows(const at::Tensor& all, std::int64_t head) {
  const vectors::MutableRows same = rows(all, head);
  return {same.data, same.stride};
}

// work(AttentionHead&, head) for all heads, shared by the threads.
template <class Work>
void for_heads(const Problem& problem, const at::Tensor& q, const Work& work) {
  compat::parallel_for(0, q.size(0) * q.size(1), 1, [&](std::int64_t first, std::int64_t last) {
    AttentionHead here(problem.shape, problem.dropout > 0, Keep(problem.dropout, problem.key));
    for (std::int64_t head = first; head < last; ++head) work(here, head);
  });
}

// (B, H, N, D) over memory (B, N, H, D): the output projection reads it without a copy.
at::Tensor empty_heads(const at::Tensor& like) {
  return at::empty({like.size(0), like.size(2), like.size(1), like.size(3)}, like.options())
      .transpose(1, 2);
}

// With the numbers of a position side by side.
at::Tensor readable(const at::Tensor& x) { return x.stride(3) == 1 ? x : x.contiguous(); }

struct Attention : torch::autograd::Function<Attention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_q,
                            const at::Tensor& any_k, const at::Tensor& any_v, bool causal,
                            double dropout, double scale, bool for_backward) {
    const at::Tensor q = readable(any_q), k = readable(any_k), v = readable(any_v);
    const Problem problem(q, k, causal, dropout, scale, dropout > 0 ? dropout_key() : 0);
    const at::Tensor out = empty_heads(q);
    float* weights = nullptr;
    if (for_backward) {
      const at::Tensor kept = at::empty({q.size(0) * q.size(1), problem.weights()}, q.options());
      weights = kept.data_ptr<float>();
      context->save_for_backward({q, k, v, kept});
      context->saved_data["causal"] = causal;
      context->saved_data["dropout"] = dropout;
      context->saved_data["scale"] = scale;
    }
    for_heads(problem, q, [&](AttentionHead& here, std::int64_t head) {
      here.forward(static_cast<std::size_t>(head), const_rows(q, head), const_rows(k, head),
                   const_rows(v, head),
                   weights == nullptr ? nullptr : weights + head * problem.weights(),
                   rows(out, head));
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    const Problem problem(q, k, context->saved_data["causal"].toBool(),
                          context->saved_data["dropout"].toDouble(),
                          context->saved_data["scale"].toDouble(), /*key=*/0);  // nothing is drawn
    const float* const weights = saved[3].data_ptr<float>();
    const at::Tensor d_out = readable(gradients[0]);
    const at::Tensor d_q = empty_heads(q), d_k = empty_heads(k), d_v = empty_heads(v);
    for_heads(problem, q, [&](AttentionHead& here, std::int64_t head) {
      here.backward(const_rows(q, head), const_rows(k, head), const_rows(v, head),
                    weights + head * problem.weights(), const_rows(d_out, head), rows(d_q, head),
                    rows(d_k, head), rows(d_v, head));
    });
    return {d_q, d_k, d_v, {}, {}, {}, {}};
  }
};

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale) {
  const bool for_backward =
      at::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || v.requires_grad());
  return Attention::apply(q, k, v, causal, dropout, scale, for_backward);
}

}  // namespace mgdm::ops::cpu

#endif  // MGDM_HAVE_VECTORS
