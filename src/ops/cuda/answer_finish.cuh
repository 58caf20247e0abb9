// What follows a product: bias, activation, the residual stream.
#pragma once

#include "ops/cuda/activations.cuh"
#include "ops/cuda/answer_memory.cuh"

namespace mgdm::ops::cuda::answering {

// What becomes of the numbers of a product, two neighbours at a time.
class Finish {
 public:
  __device__ Finish(const Arguments& arguments, const AnswerStep& step)
      : a_(arguments.answer), b_(arguments.buffers), step_(step), layer_(a_.layer[step.layer]) {}

  // What is read from memory for it; asked for before the product, so that nobody waits.
  struct Known {
    float2 bias, before;
  };
  __device__ Known known(int row, int column) const {
    switch (step_.kind) {
      case AnswerStep::kQkv:
        return {qkv_bias(column), {}};
      case AnswerStep::kProjection:
        return {pair_at(layer_.projection_bias, column),
                stream_at(step_.layer == 0 ? b_.start : b_.stream, row, column)};
      case AnswerStep::kUp:
        return {pair_at(layer_.up_bias, column), {}};
      case AnswerStep::kDown:
        return {pair_at(layer_.down_bias, column), stream_at(b_.stream, row, column)};
      default:
        return {};
    }
  }

  __device__ void operator()(int row, int column, float2 y, const Known& known) const {
    y = {y.x + known.bias.x, y.y + known.bias.y};
    switch (step_.kind) {
      case AnswerStep::kQkv:
        return store_pair(b_.qkv, 3 * a_.shape.width, row, column, y);
      case AnswerStep::kUp:
        return store_pair(b_.hidden, a_.shape.hidden, row, column,
                          {activated(y.x), activated(y.y)});
      case AnswerStep::kHead:
        return store_logits(row, column, y);
      default:
        *reinterpret_cast<float2*>(b_.stream + place(row, column)) = {known.before.x + y.x,
                                                                      known.before.y + y.y};
    }
  }

 private:
  __device__ std::int64_t place(int row, int column) const {
    return static_cast<std::int64_t>(row) * a_.shape.width + column;
  }
  __device__ float2 stream_at(const float* from, int row, int column) const {
    return __ldcg(reinterpret_cast<const float2*>(from + place(row, column)));
  }
  static __device__ float2 pair_at(const float* from, int column) {
    return from == nullptr ? float2{} : *reinterpret_cast<const float2*>(from + column);
  }

  // In bf16, as the library takes it that multiplies large batches.
  __device__ float2 qkv_bias(int column) const {
    if (layer_.qkv_bias == nullptr) return {};
    if (a_.qkv_bias_is_bf16)
      return unpack(*reinterpret_cast<const std::uint32_t*>(
          static_cast<const __nv_bfloat16*>(layer_.qkv_bias) + column));
    const float2 b = pair_at(static_cast<const float*>(layer_.qkv_bias), column);
    return unpack(pack(b.x, b.y));
  }

  static __device__ void store_pair(__nv_bfloat16* to, int pitch, int row, int column, float2 y) {
    *reinterpret_cast<std::uint32_t*>(to + static_cast<std::int64_t>(row) * pitch + column) =
        pack(y.x, y.y);
  }

  __device__ float activated(float u) const {
    return a_.gelu ? Gelu::value(u) : ReluSquared::value(u);
  }

  __device__ void store_logits(int row, int token, float2 y) const {
    float* const to = a_.logits + static_cast<std::int64_t>(row) * a_.shape.vocabulary;
    if (token < a_.shape.vocabulary) to[token] = y.x;
    if (token + 1 < a_.shape.vocabulary) to[token + 1] = y.y;
  }

  const Answer& a_;
  const Buffers& b_;
  const AnswerStep step_;
  const AnswerLayer& layer_;
};

}  // namespace mgdm::ops::cuda::answering
