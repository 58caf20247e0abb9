// What the kernel of answer.cu knows, and where it lies in memory.
#pragma once

#include "ops/cuda/answer.h"
#include "ops/cuda/answer_product.cuh"
#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda::answering {

// The head as three bf16 parts, which together are the fp32 number: products are exact, sums as in
// fp32. In the matrix that is multiplied by, 16 tokens' first parts are followed by their second
// and third ones: together they are a tile's columns.
constexpr int kHeadTokens = 16, kHeadParts = 3, kHeadWidth = kHeadParts * kHeadTokens;

struct Buffers {
  float *stream, *start;                // (R, C): the residual stream; where it began in this loop
  __nv_bfloat16 *qkv, *mixed, *hidden;  // (R, 3C), (R, C), (R, H): what products read and write
  __nv_bfloat16* head;                  // (tokens / 16, 3, 16, C)
  std::int64_t* previous;
  bool* active;
  unsigned* counter;
};

struct Plan {
  AnswerTiles qkv, projection, up, down, head;
  int blocks;
  int rows_bytes, panel_bytes;  // of shared memory
};

struct Arguments {
  Answer answer;
  Buffers buffers;
  Plan plan;
  HeadSettings heads;
};
static_assert(sizeof(Arguments) <= 4096 && sizeof(Arguments) % 8 == 0, "kernels take no more");

// What lies where in shared memory. The arguments are copied to it: functions that are called, not
// inlined, could not name the kernel's own.
struct Memory {
  struct Known {
    Arguments arguments;
    AnswerShare shares[AnswerStep::kKinds];  // that of attention is not used
  };
  static constexpr int kKnownBytes = (sizeof(Known) + 127) / 128 * 128;

  char* begin;

  __device__ Known& known() const { return *reinterpret_cast<Known*>(begin); }
  __device__ const Arguments& arguments() const { return known().arguments; }
  __device__ char* sums() const { return begin + kKnownBytes; }
  __device__ char* rows() const { return sums() + AnswerProducts::kSumsBytes; }  // or a head's, ...
  __device__ char* panel() const { return rows() + arguments().plan.rows_bytes; }
  __device__ AnswerProducts products() const { return {sums(), rows(), panel()}; }

  __device__ AnswerProduct product(const AnswerStep& step) const {
    const AnswerLayer& layer = arguments().answer.layer[step.layer];
    const void* const weight = step.kind == AnswerStep::kQkv          ? layer.qkv
                               : step.kind == AnswerStep::kProjection ? layer.projection
                               : step.kind == AnswerStep::kUp         ? layer.up
                               : step.kind == AnswerStep::kDown       ? layer.down
                                                                      : arguments().buffers.head;
    return {known().shares[step.kind], static_cast<const __nv_bfloat16*>(weight)};
  }
};

__device__ __forceinline__ void know(Memory memory, const Arguments& arguments) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < static_cast<int>(sizeof(Arguments) / 8); i += kAnswerThreads)
    reinterpret_cast<std::uint64_t*>(memory.begin)[i] =
        reinterpret_cast<const std::uint64_t*>(&arguments)[i];
  const int kind = thread / kAnswerWarps, warp = thread % kAnswerWarps;
  const AnswerShape& s = arguments.answer.shape;
  const Plan& plan = arguments.plan;
  const auto fill = [&](int columns, int depth, const AnswerTiles& tiles) {
    memory.known().shares[kind].fill(columns, depth, tiles, warp);
  };
  if (kind == AnswerStep::kQkv) fill(3 * s.width, s.width, plan.qkv);
  if (kind == AnswerStep::kProjection) fill(s.width, s.width, plan.projection);
  if (kind == AnswerStep::kUp) fill(s.hidden, s.width, plan.up);
  if (kind == AnswerStep::kDown) fill(s.width, s.hidden, plan.down);
  if (kind == AnswerStep::kHead) fill(plan.head.across * kHeadWidth, s.width, plan.head);
  __syncthreads();
}

}  // namespace mgdm::ops::cuda::answering
