#include <algorithm>

#include "ops/cuda/activations.cuh"
#include "ops/cuda/answer.h"
#include "ops/cuda/answer_product.cuh"
#include "ops/cuda/attention_queries.cuh"
#include "ops/cuda/decoding_choice.cuh"
#include "ops/cuda/grid_barrier.cuh"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {
namespace {

static_assert(kAnswerThreads == kChoiceThreads);

constexpr int kQuads = kWidestAnswer / 128;  // a lane's float4s of a row
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

// Functions of phases are called: inlined, the compiler works out what they have in common once for
// all, and runs out of registers.
#define MGDM_PHASE __device__ __noinline__

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
  char *const q_rows = memory.rows(), *const k_rows = q_rows + padded * kPitch<kSize>,
              *const v_rows = k_rows + padded * kPitch<kSize>;
  const std::uint32_t q = shared_address(q_rows), k = shared_address(k_rows),
                      v = shared_address(v_rows);
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
    if (settings.norm) {
      normalize_rows<kSize>(q_rows, length, padded, settings.eps, nullptr);
      normalize_rows<kSize>(k_rows, length, padded, settings.eps, nullptr);
    }
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

__device__ bool any_active(const DecodingPass& pass) {
  bool any = false;
  for (int row = static_cast<int>(threadIdx.x); row < pass.rows; row += kAnswerThreads)
    any = any || __ldcg(reinterpret_cast<const unsigned char*>(pass.active) + row) != 0;
  return __syncthreads_or(any);
}

MGDM_PHASE void choose(Memory memory) {
  const Answer& a = memory.arguments().answer;
  const int numbers = a.shape.length * a.shape.vocabulary, vocabulary = a.shape.vocabulary;
  for (int row = static_cast<int>(blockIdx.x); row < a.shape.rows;
       row += static_cast<int>(gridDim.x)) {
    if (!a.pass.active[row]) continue;
    const float* const from = a.logits + static_cast<std::int64_t>(row) * numbers;
    decide(a.pass, row, a.first_draw, reinterpret_cast<float*>(memory.rows()), [&](float* logits) {
      for (int i = static_cast<int>(threadIdx.x); i < numbers; i += kAnswerThreads)
        logits[i] = __ldcg(from + (a.pass.shift && i >= vocabulary ? i - vocabulary : i));
    });
  }
}

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

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess)
    return 0;
  return value;
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

// Hands out pieces of memory one after the other.
class Pieces {
 public:
  explicit Pieces(void* memory) : begin_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(std::size_t count) {
    char* const piece = begin_ + bytes_;
    bytes_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* begin_;
  std::size_t bytes_ = 0;
};

Buffers buffers_in(Pieces& pieces, const AnswerShape& s) {
  const auto positions = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.length);
  const auto width = static_cast<std::size_t>(s.width);
  const auto tokens = static_cast<std::size_t>(round_up(s.vocabulary, kHeadTokens));
  Buffers b{};
  b.stream = pieces.take<float>(positions * width);
  b.start = pieces.take<float>(positions * width);
  b.qkv = pieces.take<__nv_bfloat16>(positions * 3 * width);
  b.mixed = pieces.take<__nv_bfloat16>(positions * width);
  b.hidden = pieces.take<__nv_bfloat16>(positions * static_cast<std::size_t>(s.hidden));
  b.head = pieces.take<__nv_bfloat16>(tokens * kHeadParts * width);
  b.previous = pieces.take<std::int64_t>(positions);
  b.active = pieces.take<bool>(static_cast<std::size_t>(s.rows));
  b.counter = pieces.take<unsigned>(1);
  return b;
}

}  // namespace

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
  AttentionSettings attention{};
  attention.length = s.length;
  attention.heads = s.heads;
  attention.causal = answer.causal;
  attention.scale = answer.scale;
  attention.norm = answer.head_norm_eps > 0;
  attention.eps = answer.head_norm_eps;
  Arguments arguments{answer, buffers_in(pieces, s), plan_for(s), HeadSettings(attention)};
  DecodingPass& pass = arguments.answer.pass;
  pass.rows = s.rows;
  pass.length = s.length;
  pass.vocabulary = s.vocabulary;
  pass.previous = arguments.buffers.previous;
  pass.active = arguments.buffers.active;

  const Kernel kernel = kernel_for(s.width / s.heads);
  const int shared = Memory::kKnownBytes + AnswerProducts::kSumsBytes + arguments.plan.rows_bytes +
                     arguments.plan.panel_bytes;
  cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (error == cudaSuccess)
    error = cudaMemsetAsync(arguments.buffers.counter, 0, sizeof(unsigned), stream);
  if (error != cudaSuccess) return error;
  void* parameters[] = {&arguments};
  error = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                      static_cast<unsigned>(arguments.plan.blocks), kAnswerThreads,
                                      parameters, static_cast<std::size_t>(shared), stream);
  return error == cudaSuccess ? cudaGetLastError() : error;
}

}  // namespace mgdm::ops::cuda
