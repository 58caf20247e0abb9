// The phases of a pass, as ops/cuda/answer.h names them: what a block does between two barriers.
#pragma once

#include "ops/cuda/answer_finish.cuh"
#include "ops/cuda/answer_rows.cuh"
#include "ops/cuda/attention_queries.cuh"
#include "ops/cuda/decoding_choice.cuh"

namespace mgdm::ops::cuda::answering {

// Functions of phases are called: inlined, the compiler works out what they have in common once for
// all, and runs out of registers.
#define MGDM_PHASE __device__ inline __noinline__

static_assert(kAnswerThreads == kChoiceThreads);

// Starts copying what a product will read of its weight first.
MGDM_PHASE void fetch(Memory memory, AnswerStep step) {
  memory.products().fetch_first(memory.product(step));
}

// A step that is a product. The panel for its first tile is there, or on its way.
MGDM_PHASE void multiply(Memory memory, AnswerStep step) {
  const Arguments& arguments = memory.arguments();
  const AnswerShape& shape = arguments.answer.shape;
  const int rows = shape.rows * shape.length;
  const AnswerProduct product = memory.product(step);
  const AnswerShare& share = product.share;
  const AnswerProducts products = memory.products();
  const Finish finish(arguments, step);

  int first_row = share.row, first_column = share.column;
  for (int left = share.tiles; left > 0; --left) {
    const int row = first_row + AnswerProducts::part_row();
    const int column = first_column + AnswerProducts::part_column();
    // A tile of the head has three units, the parts of the same tokens; the first adds them up.
    const bool is_head = step.kind == AnswerStep::kHead;
    const bool mine =
        AnswerProducts::own_unit() < (is_head ? 1 : share.units) && column < share.columns;
    Finish::Known known[2] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (mine && row + 8 * half < rows) known[half] = finish.known(row + 8 * half, column);

    if (step.kind == AnswerStep::kProjection)
      products.copy_rows(share, arguments.buffers.mixed, first_row, rows);
    else if (step.kind == AnswerStep::kDown)
      products.copy_rows(share, arguments.buffers.hidden, first_row, rows);
    else
      NormedRows(arguments, step).load(products, share, first_row, /*keep=*/first_column == 0);
    wait_for_copies();
    __syncthreads();
    products.multiply(share);

    // Tiles follow each other downwards, then to the right.
    first_row += kAnswerTileRows;
    const bool turns = first_row == share.down * kAnswerTileRows;
    if (turns) {
      first_row = 0;
      first_column += share.width;
    }
    if (turns && left > 1) products.fetch(product, first_column);
    if (!mine) continue;
    float4 y = products.total(share, AnswerProducts::own_unit());
    int place = column;
    if (is_head) {
      y = plus(y, plus(products.total(share, 1), products.total(share, 2)));
      const int part = AnswerProducts::part_column();
      place = (column - part) / kHeadParts + part;  // the token
    }
    if (row < rows) finish(row, place, {y.x, y.y}, known[0]);
    if (row + 8 < rows) finish(row + 8, place, {y.z, y.w}, known[1]);
  }
}

// A head of a row for each block, as attention.cu has it.
template <int kSize>
MGDM_PHASE void attend(Memory memory) {
  const Arguments& arguments = memory.arguments();
  const HeadSettings& settings = arguments.heads;
  const int length = settings.length, heads = settings.heads, width = heads * kSize;
  const int padded = round_up(length, 16);
  const std::uint32_t q = shared_address(memory.rows()), k = q + padded * kPitch<kSize>,
                      v = k + padded * kPitch<kSize>;
  const AttentionDropout none{};
  for (int head = static_cast<int>(blockIdx.x); head < arguments.answer.shape.rows * heads;
       head += static_cast<int>(gridDim.x)) {
    const std::int64_t begin = static_cast<std::int64_t>(head / heads) * length;
    const int column = head % heads * kSize;
    const __nv_bfloat16* const from = arguments.buffers.qkv + begin * 3 * width + column;
    load_rows<kSize>(q, from, 3 * width, length, padded);
    load_rows<kSize>(k, from + width, 3 * width, length, padded);
    load_rows<kSize>(v, from + 2 * width, 3 * width, length, padded);
    wait_for_copies();
    if (settings.norm) normalize_both<kSize>(q, k, padded, settings.eps);
    __syncthreads();
    for (int first = 16 * AnswerProducts::warp(); first < length; first += 16 * kAnswerWarps) {
      Queries<kSize, false> tile(settings, none, q, first);
      tile.template walk<false>(k, v, padded);
      if (!tile.in_range()) tile.template walk<true>(k, v, padded);
      tile.finish(arguments.buffers.mixed + begin * width + column, nullptr);
    }
    __syncthreads();  // the rows make room for the next head's
  }
}

// Rows before the first pass, and the head's parts. The block that decides about a row begins it.
MGDM_PHASE void begin(Memory memory) {
  const Arguments& arguments = memory.arguments();
  const Answer& a = arguments.answer;
  const DecodingPass& pass = a.pass;
  const int length = a.shape.length, width = a.shape.width;
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x),
            blocks = static_cast<int>(gridDim.x);
  for (int row = block; row < a.shape.rows; row += blocks) {
    bool any = false;
    for (int n = row * length + thread; n < (row + 1) * length; n += kAnswerThreads) {
      any = any || !pass.frozen[n];
      pass.tokens[n] = pass.frozen[n] ? a.given[n] : pass.rule.mask_token;
    }
    any = __syncthreads_or(any);
    if (thread != 0) continue;
    pass.passes[row] = 0;
    pass.active[row] = any;
  }
  const int pairs = width / 2, tokens = arguments.plan.head.across * kHeadTokens;
  for (int i = block * kAnswerThreads + thread; i < tokens * pairs; i += blocks * kAnswerThreads) {
    const int token = i / pairs, column = i % pairs * 2;
    float2 left{};
    if (token < a.shape.vocabulary)
      left = *reinterpret_cast<const float2*>(a.head + token * width + column);
    const int row = token / kHeadTokens * kHeadWidth + token % kHeadTokens;
#pragma unroll
    for (int part = 0; part < kHeadParts; ++part)
      *reinterpret_cast<unsigned*>(arguments.buffers.head + (row + part * kHeadTokens) * width +
                                   column) = take_bf16(left);
  }
}

__device__ inline bool any_active(const DecodingPass& pass) {
  bool any = false;
  for (int row = static_cast<int>(threadIdx.x); row < pass.rows; row += kAnswerThreads)
    any = any || __ldcg(reinterpret_cast<const unsigned char*>(pass.active) + row) != 0;
  return __syncthreads_or(any);
}

MGDM_PHASE void choose(Memory memory) {
  const Answer& a = memory.arguments().answer;
  const int numbers = a.shape.length * a.shape.vocabulary;
  for (int row = static_cast<int>(blockIdx.x); row < a.shape.rows;
       row += static_cast<int>(gridDim.x)) {
    if (!a.pass.active[row]) continue;
    const float* const from = a.logits + static_cast<std::int64_t>(row) * numbers;
    decide(a.pass, row, a.first_draw, reinterpret_cast<float*>(memory.rows()),
           [&](float* logits) { copy_logits(logits, from, a.pass); });
  }
}

}  // namespace mgdm::ops::cuda::answering
