// A head is small: its keys, values and weights fit into the cache. So a thread takes a head,
// copies what it needs into buffers padded to whole tiles (the loops have no edges), and does
// everything there. LibTorch's way is a matrix product per head and step, each too small for BLAS
// to be fast, with the weights written to and read from memory in between.
//
//   forward    s = scale q k^T     p = softmax(s)     o = (p d) v          d = dropout's factors
//   backward   dp = d (do v^T)     ds = p (dp - sum(p dp))
//              dv = (p d)^T do     dq = scale ds k    dk = scale ds^T q
#include "ops/cpu/attention.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <vector>

#include "compat/parallel.h"
#include "ops/cpu/elementwise.h"
#include "ops/cpu/lanes.h"

namespace mgdm::ops::cpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kRows = 4, kColumns = 4 * kLanes;  // of a tile: 16 registers

std::int64_t padded(std::int64_t count, std::int64_t to) { return (count + to - 1) / to * to; }

// A matrix in a buffer of padded size.
struct Matrix {
  float* data;
  std::int64_t rows, columns;  // multiples of kRows and kColumns

  float* row(std::int64_t i) const { return data + i * columns; }
};

// c = a b, or with `transposed` c = a^T b. What a has beyond the rows of b is padding.
template <bool transposed>
void multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  const std::int64_t next_row = transposed ? 1 : a.columns, next = transposed ? a.columns : 1;
  for (std::int64_t i = 0; i < c.rows; i += kRows) {
    for (std::int64_t j = 0; j < c.columns; j += kColumns) {
      Lanes tile[kRows][4] = {};
      const float* from_a = a.data + i * next_row;
      const float* from_b = b.data + j;
      for (std::int64_t n = 0; n < b.rows; ++n, from_a += next, from_b += b.columns) {
        const Lanes b0 = load(from_b), b1 = load(from_b + kLanes), b2 = load(from_b + 2 * kLanes),
                    b3 = load(from_b + 3 * kLanes);
        for (std::int64_t r = 0; r < kRows; ++r) {
          const float x = from_a[r * next_row];
          tile[r][0] += x * b0;
          tile[r][1] += x * b1;
          tile[r][2] += x * b2;
          tile[r][3] += x * b3;
        }
      }
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t l = 0; l < 4; ++l) store(c.row(i + r) + j + l * kLanes, tile[r][l]);
    }
  }
}

// Of one head: positions and numbers, at strides of their own; numbers lie side by side.
struct Head {
  float* data;
  std::int64_t next_position, positions, size;

  Head(const at::Tensor& all, std::int64_t index)
      : data(all.data_ptr<float>() + index / all.size(1) * all.stride(0) +
             index % all.size(1) * all.stride(1)),
        next_position(all.stride(2)),
        positions(all.size(2)),
        size(all.size(3)) {}
};

// A thread's buffers, all zero at first; the padding stays so.
class Buffers {
 public:
  Matrix matrix(std::int64_t rows, std::int64_t columns) {
    rows = padded(rows, kRows), columns = padded(columns, kColumns);
    memory_.emplace_back(static_cast<std::size_t>(rows * columns));
    return {memory_.back().data(), rows, columns};
  }

 private:
  std::vector<std::vector<float>> memory_;
};

void read(const Head& from, float scale, const Matrix& to) {
  for (std::int64_t i = 0; i < from.positions; ++i)
    for (std::int64_t d = 0; d < from.size; ++d)
      to.row(i)[d] = scale * from.data[i * from.next_position + d];
}

void read_transposed(const Head& from, const Matrix& to) {
  for (std::int64_t i = 0; i < from.positions; ++i)
    for (std::int64_t d = 0; d < from.size; ++d)
      to.row(d)[i] = from.data[i * from.next_position + d];
}

void write(const Matrix& from, float scale, const Head& to) {
  for (std::int64_t i = 0; i < to.positions; ++i)
    for (std::int64_t d = 0; d < to.size; ++d)
      to.data[i * to.next_position + d] = scale * from.row(i)[d];
}

// exp(s) / sum(exp(s)) over the first `seen` of a row's numbers; the others become 0.
void softmax(float* row, std::int64_t seen, std::int64_t columns) {
  std::fill(row + seen, row + columns, -std::numeric_limits<float>::infinity());
  Lanes high = load(row);
  for (std::int64_t m = kLanes; m < columns; m += kLanes) high = larger(high, load(row + m));
  const float top = largest(high);
  Lanes total{};
  for (std::int64_t m = 0; m < columns; m += kLanes) {
    const Lanes e = exp(load(row + m) - top);
    store(row + m, e);
    total += e;
  }
  std::fill(row + seen, row + columns, 0.0f);  // exp leaves e^-87 there: nothing in the sum
  const float factor = 1 / sum(total);
  for (std::int64_t m = 0; m < columns; m += kLanes) store(row + m, factor * load(row + m));
}

struct Problem {
  std::int64_t heads;  // of all examples: B H
  std::int64_t n, m;   // positions that ask, and that are seen
  bool causal;
  double dropout, scale;
  std::uint64_t key;  // of dropout

  Problem(const at::Tensor& q, const at::Tensor& k, bool causal_, double dropout_, double scale_,
          std::uint64_t key_)
      : heads(q.size(0) * q.size(1)),
        n(q.size(2)),
        m(k.size(2)),
        causal(causal_),
        dropout(dropout_),
        scale(scale_),
        key(key_) {}

  std::int64_t weights() const { return padded(n, kRows) * padded(m, kColumns); }  // of a head
  std::int64_t seen(std::int64_t i) const { return causal ? m - n + i + 1 : m; }
};

// out[i, m] = in[i, m] d[i, m] for the weights of a head.
void drop(const Problem& problem, std::int64_t head, const Matrix& in, const Matrix& out) {
  const Keep keep(problem.dropout, problem.key);
  const std::int64_t first = head * problem.weights(), count = in.rows * in.columns;
  for (std::int64_t i = 0; i < count; i += kLanes)
    store(out.data + i, load(in.data + i) * keep(static_cast<std::uint32_t>(first + i)));
}

// Fills `out` and, unless it is null, the weights before dropout.
void forward(const Problem& problem, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
             const at::Tensor& out, float* weights) {
  compat::parallel_for(0, problem.heads, 1, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t size = q.size(3);
    Buffers buffers;
    const Matrix queries = buffers.matrix(problem.n, size);
    const Matrix keys = buffers.matrix(size, problem.m);
    const Matrix values = buffers.matrix(problem.m, size);
    const Matrix mixed = buffers.matrix(problem.n, size);
    const Matrix dropped = buffers.matrix(problem.n, problem.m);
    Matrix p = dropped;
    for (std::int64_t head = first; head < last; ++head) {
      if (weights != nullptr) p.data = weights + head * problem.weights();
      read(Head(q, head), static_cast<float>(problem.scale), queries);
      read_transposed(Head(k, head), keys);
      read(Head(v, head), 1, values);
      multiply<false>(queries, keys, p);
      for (std::int64_t i = 0; i < problem.n; ++i) softmax(p.row(i), problem.seen(i), p.columns);
      if (problem.dropout > 0) drop(problem, head, p, dropped);
      multiply<false>(problem.dropout > 0 ? dropped : p, values, mixed);
      write(mixed, 1, Head(out, head));
    }
  });
}

// `weights` are those of the forward pass.
void backward(const Problem& problem, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
              float* weights, const at::Tensor& d_out, const at::Tensor& d_q, const at::Tensor& d_k,
              const at::Tensor& d_v) {
  compat::parallel_for(0, problem.heads, 1, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t size = q.size(3);
    const auto scale = static_cast<float>(problem.scale);
    Buffers buffers;
    const Matrix queries = buffers.matrix(problem.n, size);
    const Matrix keys = buffers.matrix(problem.m, size);
    const Matrix values = buffers.matrix(size, problem.m);
    const Matrix asked = buffers.matrix(problem.n, size);  // d out
    const Matrix of_queries = buffers.matrix(problem.n, size);
    const Matrix of_others = buffers.matrix(problem.m, size);  // d k and d v
    const Matrix dropped = buffers.matrix(problem.n, problem.m);
    const Matrix ds = buffers.matrix(problem.n, problem.m);
    for (std::int64_t head = first; head < last; ++head) {
      const Matrix p{weights + head * problem.weights(), dropped.rows, dropped.columns};
      read(Head(q, head), scale, queries);
      read(Head(k, head), 1, keys);
      read_transposed(Head(v, head), values);
      read(Head(d_out, head), 1, asked);
      if (problem.dropout > 0) drop(problem, head, p, dropped);
      multiply<true>(problem.dropout > 0 ? dropped : p, asked, of_others);
      write(of_others, 1, Head(d_v, head));

      multiply<false>(asked, values, ds);
      if (problem.dropout > 0) drop(problem, head, ds, ds);
      for (std::int64_t i = 0; i < problem.n; ++i) {
        Lanes total{};
        for (std::int64_t m = 0; m < p.columns; m += kLanes)
          total += load(p.row(i) + m) * load(ds.row(i) + m);
        const float mean = sum(total);
        for (std::int64_t m = 0; m < p.columns; m += kLanes)
          store(ds.row(i) + m, load(p.row(i) + m) * (load(ds.row(i) + m) - mean));
      }
      multiply<false>(ds, keys, of_queries);
      write(of_queries, scale, Head(d_q, head));
      multiply<true>(ds, queries, of_others);
      write(of_others, 1, Head(d_k, head));
    }
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
    const std::uint64_t key = dropout > 0 ? dropout_key() : 0;
    const Problem problem(q, k, causal, dropout, scale, key);
    const at::Tensor out = empty_heads(q);
    at::Tensor weights;
    if (for_backward) {
      weights = at::empty({problem.heads, problem.weights()}, q.options());
      context->save_for_backward({q, k, v, weights});
      context->saved_data["causal"] = causal;
      context->saved_data["dropout"] = dropout;
      context->saved_data["scale"] = scale;
      context->saved_data["key"] = static_cast<std::int64_t>(key);
    }
    cpu::forward(problem, q, k, v, out, for_backward ? weights.data_ptr<float>() : nullptr);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    const Problem problem(q, k, context->saved_data["causal"].toBool(),
                          context->saved_data["dropout"].toDouble(),
                          context->saved_data["scale"].toDouble(),
                          static_cast<std::uint64_t>(context->saved_data["key"].toInt()));
    const at::Tensor d_q = empty_heads(q), d_k = empty_heads(k), d_v = empty_heads(v);
    cpu::backward(problem, q, k, v, saved[3].data_ptr<float>(), readable(gradients[0]), d_q, d_k,
                  d_v);
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
