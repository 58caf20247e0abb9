// What products read that follow a norm: rows of the residual stream.
#pragma once

#include "ops/cuda/answer_memory.cuh"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda::answering {

constexpr int kQuads = kWidestAnswer / 128;  // a lane's float4s of a row

struct Quads {
  float4 quad[kQuads];
};

__device__ __forceinline__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ __forceinline__ float4 plus(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ __forceinline__ float4 times(float4 a, float s) {
  return {a.x * s, a.y * s, a.z * s, a.w * s};
}

// The 16 rows of a tile as norms of the residual stream, a warp each. At the start of a loop the
// stream is made of what it was and the tokens' embedding, and is kept.
class NormedRows {
 public:
  __device__ NormedRows(const Arguments& arguments, const AnswerStep& step)
      : a_(arguments.answer),
        b_(arguments.buffers),
        width_(a_.shape.width),
        starts_(step.kind == AnswerStep::kQkv && step.layer == 0),
        continues_(!starts_ || step.loop > 0),
        norm_(step.kind == AnswerStep::kHead ? a_.final_norm
              : step.kind == AnswerStep::kUp ? a_.layer[step.layer].norm_mlp
                                             : a_.layer[step.layer].norm_attention) {}

  __device__ void load(const AnswerProducts& products, const AnswerShare& share, int first_row,
                       bool keep) const {
    const int row = first_row + AnswerProducts::warp();
    Quads x{};
    if (row < a_.shape.rows * a_.shape.length) {
      const std::int64_t begin = static_cast<std::int64_t>(row) * width_;
      Quads weight, bias;
      if (norm_.weight != nullptr) {
        weight = quads_at(norm_.weight);
        bias = quads_at(norm_.bias);
      }
      if (continues_)
        each_quad([&](int q, int at) {
          x.quad[q] = __ldcg(reinterpret_cast<const float4*>(b_.stream + begin + at));
        });
      if (starts_) {
        if (continues_ && a_.loop_norm) {
          standardize(x, /*centred=*/false);
          each_quad([&](int q, int) { x.quad[q] = rounded(x.quad[q]); });
        }
        add_embedding(x, row);
        if (keep) each_quad([&](int q, int at) { store4(b_.start + begin + at, x.quad[q]); });
      }
      standardize(x, norm_.weight != nullptr);
      if (norm_.weight != nullptr)
        each_quad([&](int q, int) {
          const float4 w = weight.quad[q], b = bias.quad[q], v = x.quad[q];
          x.quad[q] = {v.x * w.x + b.x, v.y * w.y + b.y, v.z * w.z + b.z, v.w * w.w + b.w};
        });
    }
    each_quad([&](int q, int at) {
      store4(reinterpret_cast<__nv_bfloat16*>(products.row_at(share, AnswerProducts::warp(), at)),
             x.quad[q]);
    });
  }

 private:
  // f(q, column) for the lane's quads of a row.
  template <class Function>
  __device__ __forceinline__ void each_quad(Function&& f) const {
#pragma unroll
    for (int q = 0; q < kQuads; ++q)
      if (128 * q < width_) f(q, 128 * q + 4 * AnswerProducts::lane());
  }

  __device__ Quads quads_at(const float* from) const {
    Quads x{};
    each_quad([&](int q, int at) { x.quad[q] = load4(from + at); });
    return x;
  }
  static __device__ float4 rounded(float4 v) { return unpack4({pack(v.x, v.y), pack(v.z, v.w)}); }

  __device__ void add_embedding(Quads& x, int row) const {
    const auto* const tokens = reinterpret_cast<const long long*>(a_.pass.tokens);
    const float* const of_token = a_.tokens + __ldcg(tokens + row) * width_;
    const float* const of_position =
        a_.positions + static_cast<std::int64_t>(row % a_.shape.length) * width_;
    const float* const of_frozen =
        a_.frozen == nullptr ? nullptr : a_.frozen + (a_.pass.frozen[row] ? width_ : 0);
    each_quad([&](int q, int at) {
      float4 e = plus(load4(of_token + at), load4(of_position + at));
      if (of_frozen != nullptr) e = plus(e, load4(of_frozen + at));
      x.quad[q] = plus(x.quad[q], e);
    });
  }

  // (x - mean) / sigma, or x over its root mean square.
  __device__ void standardize(Quads& x, bool centred) const {
    const float columns = static_cast<float>(width_);
    if (centred) {
      float sum = 0;
      each_quad([&](int q, int) { sum += sum_of(x.quad[q]); });
      const float mean = lane_sum(sum) / columns;
      each_quad([&](int q, int) { x.quad[q] = plus(x.quad[q], {-mean, -mean, -mean, -mean}); });
    }
    float squares = 0;
    each_quad([&](int q, int) {
      const float4 v = x.quad[q];
      squares += sum_of({v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w});
    });
    const float scale = rsqrtf(lane_sum(squares) / columns + a_.norm_eps);
    each_quad([&](int q, int) { x.quad[q] = times(x.quad[q], scale); });
  }

  const Answer& a_;
  const Buffers& b_;
  const int width_;
  const bool starts_, continues_;
  const AnswerNorm norm_;
};

}  // namespace mgdm::ops::cuda::answering
