#include <algorithm>

#include "ops/cuda/answer_launch.h"
#include "ops/cuda/answer_phases.cuh"
#include "ops/cuda/grid_barrier.cuh"
#include "ops/cuda/pieces.h"

namespace mgdm::ops::cuda {
namespace answering {
namespace {

template <int kSize>
__global__ void __launch_bounds__(kAnswerThreads, 1)
    answer_kernel(const __grid_constant__ Arguments arguments) {
  extern __shared__ __align__(128) char shared[];
  const Memory memory{shared};
  know(memory, arguments);
  GridBarrier barrier(arguments.buffers.counter);
  const Answer& a = arguments.answer;
  begin(memory);
  barrier.arrive();
  fetch(memory, {});
  barrier.wait();
  for (int pass = 0; pass < a.most_passes && any_active(a.pass); ++pass) {
    for (AnswerStep step;;) {
      const bool multiplies = step.kind != AnswerStep::kAttention;
      multiplies ? multiply(memory, step) : attend<kSize>(memory);
      barrier.arrive();
      if (multiplies) fetch(memory, step.next_product(a.shape.layers, a.loops));
      barrier.wait();
      if (step.kind == AnswerStep::kHead) break;
      step = step.next(a.shape.layers, a.loops);
    }
    choose(memory);
    barrier.arrive();
    barrier.wait();
  }
  barrier.leave();
  wait_for_copies();
}

using Kernel = void (*)(Arguments);
Kernel kernel_for(int head_size) {
  switch (head_size) {
    case 16:
      return answer_kernel<16>;
    case 32:
      return answer_kernel<32>;
    case 64:
      return answer_kernel<64>;
  }
  return nullptr;
}

// Blocks 0 where it cannot be done.
Plan plan_for(const AnswerShape& s) {
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const int shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024;
  const int positions = s.rows * s.length;
  Plan plan{};
  const int matrix_rows = kAnswerTileRows * answer_pitch(std::max(s.width, s.hidden));
  const int head = 3 * round_up(s.length, 16) * 2 * (s.width / s.heads);
  const int choice = static_cast<int>(decoding_pass_memory(s.length, s.vocabulary));
  plan.rows_bytes = round_up(std::max({matrix_rows, head, choice}), 128);
  const int left = shared - Memory::kKnownBytes - AnswerProducts::kSumsBytes - plan.rows_bytes;
  const auto tiles = [&](int columns, int depth) {
    return answer_tiles(positions, columns, depth, multiprocessors, left);
  };
  plan.qkv = tiles(3 * s.width, s.width);
  plan.projection = tiles(s.width, s.width);
  plan.up = tiles(s.hidden, s.width);
  plan.down = tiles(s.width, s.hidden);
  plan.head = {round_up(positions, kAnswerTileRows) / kAnswerTileRows,
               round_up(s.vocabulary, kHeadTokens) / kHeadTokens, kHeadWidth};
  for (const AnswerTiles* each : {&plan.qkv, &plan.projection, &plan.up, &plan.down, &plan.head}) {
    const int depth = each == &plan.down ? s.hidden : s.width;
    plan.panel_bytes = std::max(plan.panel_bytes, each->width * answer_pitch(depth));
    if (each->width == 0) return {};
    plan.blocks = std::max(plan.blocks, each->count());
  }
  plan.blocks = std::min(multiprocessors, plan.blocks);
  return plan.panel_bytes <= left ? plan : Plan{};
}

Buffers buffers_in(Pieces& pieces, const AnswerShape& s) {
  const auto positions = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.length);
  const auto width = static_cast<std::size_t>(s.width);
  const auto tokens = static_cast<std::size_t>(round_up(s.vocabulary, kHeadTokens));
  Buffers b{};
  b.counter = pieces.take<unsigned>(1);  // where the other kernel has it, too
  b.stream = pieces.take<float>(positions * width);
  b.start = pieces.take<float>(positions * width);
  b.qkv = pieces.take<__nv_bfloat16>(positions * 3 * width);
  b.mixed = pieces.take<__nv_bfloat16>(positions * width);
  b.hidden = pieces.take<__nv_bfloat16>(positions * static_cast<std::size_t>(s.hidden));
  b.head = pieces.take<__nv_bfloat16>(tokens * kHeadParts * width);
  b.previous = pieces.take<std::int64_t>(positions);
  b.active = pieces.take<bool>(static_cast<std::size_t>(s.rows));
  return b;
}

}  // namespace
}  // namespace answering

using namespace answering;

bool answer_takes(const AnswerShape& s) {
  return s.rows > 0 && s.length > 0 && s.layers > 0 && s.layers <= kMostAnswerLayers &&
         s.width % 128 == 0 && s.width <= kWidestAnswer && s.hidden % 128 == 0 && s.hidden > 0 &&
         s.heads > 0 && s.width % s.heads == 0 && kernel_for(s.width / s.heads) != nullptr &&
         device_attribute(cudaDevAttrCooperativeLaunch) != 0 && plan_for(s).blocks > 0;
}

std::size_t answer_workspace(const AnswerShape& shape) {
  Pieces pieces(nullptr);
  buffers_in(pieces, shape);
  return pieces.bytes();
}

cudaError_t launch_answer(const Answer& answer, cudaStream_t stream) {
  const AnswerShape& s = answer.shape;
  Pieces pieces(answer.workspace);
  Arguments arguments{with_sizes(answer), buffers_in(pieces, s), plan_for(s),
                      HeadSettings(attention_of(answer))};
  DecodingPass& pass = arguments.answer.pass;
  pass.previous = arguments.buffers.previous;
  pass.active = arguments.buffers.active;

  const Kernel kernel = kernel_for(s.width / s.heads);
  const int shared = Memory::kKnownBytes + AnswerProducts::kSumsBytes + arguments.plan.rows_bytes +
                     arguments.plan.panel_bytes;
  cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (error != cudaSuccess) return error;
  void* parameters[] = {&arguments};
  error = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                      static_cast<unsigned>(arguments.plan.blocks), kAnswerThreads,
                                      parameters, static_cast<std::size_t>(shared), stream);
  return error == cudaSuccess ? cudaGetLastError() : error;
}

}  // namespace mgdm::ops::cuda
