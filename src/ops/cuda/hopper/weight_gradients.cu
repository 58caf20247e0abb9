// dW has few numbers, and each is a long sum over rows. A pair of blocks, a cluster, takes a tile
// of dW and some steps of its sum, a step being 64 rows of dy and x; all pairs take equally many
// steps, whichever tiles these belong to, and add what they have to dW where a tile ends.
//
// Of a tile the first block has the upper half, the second the lower one: each reads its own
// columns of dy, and both the same columns of x, of which each copies half to both. So the caches
// are asked for less: products this wide are limited by that.
//
// In a block one thread copies, three or two groups of four warps multiply, each for 64 rows of dW.
// A stage of shared memory is `full` when all copies to it are there, those of the other block
// too, and `empty` when the groups of both blocks have read theirs.
#include <algorithm>

#include "ops/cuda/device.h"
#include "ops/cuda/hopper/cluster.cuh"
#include "ops/cuda/hopper/weight_gradients.h"
#include "ops/cuda/hopper/wide_products.cuh"
#include "ops/cuda/tensor_map.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kStep = 64;                    // rows
constexpr int kPieceBytes = kStep * 64 * 2;  // of 64 columns
constexpr int kPair = 2;                     // blocks of a cluster
constexpr int kStages = 4;

// A block's part of a tile: 64 kGroups x 64 kPieces numbers of dW.
template <int kGroups, int kPieces>
struct Stage {
  char dy[kGroups][kPieceBytes];
  char x[kPieces][kPieceBytes];
};

struct Barriers {
  Barrier full[kStages], empty[kStages];
};

struct Uses {
  CUtensorMap dy[kMostUses], x[kMostUses];
};

struct Arguments {
  float* sum;
  int inputs, column_tiles;
  int steps_of_use, steps;  // of one use, of all
  int all_steps;            // of all tiles
};

// Where the next copies go, or the next products come from.
struct Turn {
  int stage = 0, parity = 0;

  __device__ void pass() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

__device__ __forceinline__ void add_pair(float* to, float first, float second) {
  asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(first),
               "f"(second)
               : "memory");
}

template <int kGroups, int kPieces>
__global__ void __cluster_dims__(kPair, 1, 1) __launch_bounds__(128 * (1 + kGroups), 1)
    weight_gradients_kernel(const __grid_constant__ Uses uses,
                            const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using Stage = Stage<kGroups, kPieces>;
  extern __shared__ char unaligned[];
  char* const aligned = unaligned + (1024 - (shared_address_of(unaligned) & 1023)) % 1024;
  Stage* const stages = reinterpret_cast<Stage*>(aligned);
  Barriers& barriers = *reinterpret_cast<Barriers*>(aligned + kStages * sizeof(Stage));
  const int rank = cluster_rank();
  const std::int64_t pairs = gridDim.x / kPair, pair = blockIdx.x / kPair;
  const int begin = static_cast<int>(pair * a.all_steps / pairs),
            end = static_cast<int>((pair + 1) * a.all_steps / pairs);

  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      barriers.full[i].init(1);
      barriers.empty[i].init(kPair * kGroups);
    }
    fence_async();
  }
  meet_cluster();

  const int lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const auto row_tile = [&](int tile) { return tile / a.column_tiles * kPair + rank; };
  Turn turn;
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(32));
    if (threadIdx.x == 0) {
      for (int at = begin; at < end; ++at, turn.pass()) {
        const int tile = at / a.steps, step = at % a.steps, use = step / a.steps_of_use;
        const int row = step % a.steps_of_use * kStep;
        Barrier& full = barriers.full[turn.stage];
        Stage& stage = stages[turn.stage];
        barriers.empty[turn.stage].wait(turn.parity ^ 1);
        full.expect(sizeof(Stage));
        for (int i = 0; i < kGroups; ++i)
          copy_box(stage.dy[i], uses.dy[use], (row_tile(tile) * kGroups + i) * 64, row, full);
        for (int i = 0; i < kPieces; ++i)
          copy_box_to_both(stage.x[i] + rank * kPieceBytes / kPair, uses.x[use],
                           (tile % a.column_tiles * kPieces + i) * 64, row + rank * kStep / kPair,
                           full);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kGroups == 3 ? 160 : 232));
    const int group = static_cast<int>(threadIdx.x) / 128 - 1;
    const auto release = [&](int stage) {
      if (warp < kPair && lane == 0) arrive_at(barriers.empty[stage], warp);
    };
    for (int at = begin; at < end;) {
      const int tile = at / a.steps, first = at, last = min(end, (tile + 1) * a.steps);
      float c[32 * kPieces];
      int before = 0;  // the stage of the step before
      for (; at < last; ++at, turn.pass()) {
        barriers.full[turn.stage].wait(turn.parity);
        const Stage& stage = stages[turn.stage];
        const std::uint64_t dy = columns_of_128_bytes(stage.dy[group], kPieceBytes),
                            x = columns_of_128_bytes(stage.x[0], kPieceBytes);
        constexpr int kSixteenRows = 16 * 128 / 16;
        products_begin();
#pragma unroll
        for (int i = 0; i < kStep / 16; ++i)
          multiply_columns(c, dy + kSixteenRows * i, x + kSixteenRows * i, at > first || i > 0);
        products_end_group();
        if (at > first) {
          products_wait<1>();
          release(before);
        }
        before = turn.stage;
      }
      products_wait<0>();
      release(before);
      const std::int64_t row = (row_tile(tile) * kGroups + group) * 64 + 16 * warp + lane / 4;
      float* const to =
          a.sum + row * a.inputs + tile % a.column_tiles * kPieces * 64 + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < 8 * kPieces; ++i) {
        add_pair(to + 8 * i, c[4 * i], c[4 * i + 1]);
        add_pair(to + 8 * a.inputs + 8 * i, c[4 * i + 2], c[4 * i + 3]);
      }
    }
  }
  meet_cluster();  // until nobody copies to the other, nor tells it anything
#endif
}

template <int kGroups, int kPieces>
constexpr bool fits(std::int64_t outputs, std::int64_t inputs) {
  return outputs % (kPair * 64 * kGroups) == 0 && inputs % (64 * kPieces) == 0;
}

template <int kGroups, int kPieces>
void launch(const WeightGradients& w, cudaStream_t stream) {
  const auto kernel = weight_gradients_kernel<kGroups, kPieces>;
  constexpr int kBytes = 1024 + kStages * sizeof(Stage<kGroups, kPieces>) + sizeof(Barriers);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  Uses uses;
  for (int i = 0; i < w.uses; ++i) {
    uses.dy[i] = tensor_map_of(w.dy[i], w.rows, w.outputs, kStep);
    uses.x[i] = tensor_map_of(w.x[i], w.rows, w.inputs, kStep / kPair);
  }
  Arguments a{.sum = w.sum,
              .inputs = static_cast<int>(w.inputs),
              .column_tiles = static_cast<int>(w.inputs / (64 * kPieces)),
              .steps_of_use = static_cast<int>((w.rows + kStep - 1) / kStep),
              .steps = 0,
              .all_steps = 0};
  a.steps = w.uses * a.steps_of_use;
  a.all_steps = static_cast<int>(w.outputs / (kPair * 64 * kGroups)) * a.column_tiles * a.steps;
  // Where as many pairs take a tile as take another they read the same rows at the same time.
  const int tiles = a.all_steps / a.steps, room = Gpu::current().multiprocessors / kPair;
  const int pairs = tiles < room ? room / tiles * tiles : room;
  const int blocks = std::min(pairs, a.all_steps) * kPair;
  kernel<<<static_cast<unsigned>(blocks), 128 * (1 + kGroups), kBytes, stream>>>(uses, a);
}

}  // namespace

void launch_weight_gradients(const WeightGradients& w, cudaStream_t stream) {
  if (w.rows == 0 || w.uses == 0) return;
  fits<3, 3>(w.outputs, w.inputs) ? launch<3, 3>(w, stream) : launch<2, 4>(w, stream);
}

bool weight_gradients_take(std::int64_t outputs, std::int64_t inputs) {
  return Gpu::current().major == 9 && (fits<3, 3>(outputs, inputs) || fits<2, 4>(outputs, inputs));
}

}  // namespace mgdm::ops::cuda
