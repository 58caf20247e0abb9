// A block keeps 128 rows of W, or columns of V, in shared memory and walks over x in tiles of 64
// rows. Two or three groups of four warps take the tiles in turn: while one applies the activation
// the others multiply. Everything else crosses shared memory in pieces of 64 x 64 numbers, moved by
// the tensor copies, so that no warp that computes waits for device memory:
//
//   one thread copies the pieces of x, and backward two of what was kept, to the places of the
//   group whose turn it is; the group multiplies, and leaves its result in two places of its own
//   (backward over what was kept); one thread for each group copies the result to device memory. A
//   product that is kept goes where the last pieces of x were.
//
// A place has two barriers: it is `full` when its copy is there, and `empty` when nobody will read
// it again: after the product, or where a result was left, after the copy of this. Each group has
// places of its own, so it waits for the barriers' phases one by one and cannot take one phase for
// another.
//
// Groups take turns at the matrix units: one begins a tile when the group before it has started all
// of its products. Else they fall into step, share the units, and leave them idle together. Nor can
// phases be mistaken here: a group lets the next one begin again only after its own next turn,
// which comes after all others had theirs.
#include <algorithm>

#include "ops/cuda/activations.cuh"
#include "ops/cuda/device.h"
#include "ops/cuda/hopper/activated_product.h"
#include "ops/cuda/hopper/activated_tile.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kPanelBytes = kTileColumns * kPieceColumns * 2;  // of 64 numbers of the depth
constexpr int kOwnPieces = 2;                     // places of a group beside those of x
constexpr int kMostGroups = 3, kMostPlaces = 18;  // three groups of a product of depth 256

enum class Direction { kForward, kForwardKeeping, kBackward };

// Registers of a thread that copies and of one that multiplies, of 65536 in all.
template <int kGroups>
constexpr int kFewRegisters = kGroups == 3 ? 32 : 40;
template <int kGroups>
constexpr int kManyRegisters = kGroups == 3 ? 160 : 232;

struct Arguments {
  std::int64_t rows;
  int columns, depth;
  const float* bias;
  float* parts;  // (blocks of a panel, N) of dbias, or null
};

// Shared memory beside the weight and the places.
struct Shared {
  Barrier weight_there, full[kMostPlaces], empty[kMostPlaces];
  Barrier result[kMostGroups];  // of each group, ready to be copied
  Barrier may_multiply[kMostGroups];
  float bias[kTileColumns];
};

template <int kThreads>
__device__ __forceinline__ void wait_for_each_other(int barrier) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(kThreads) : "memory");
}

// kBare: there is no bias, and nobody wants its gradient.
template <class F, Direction kDirection, int kGroups, bool kBare>
__global__ void __launch_bounds__(128 * (1 + kGroups), 1)
    product_kernel(const __grid_constant__ CUtensorMap x_map,
                   const __grid_constant__ CUtensorMap weight_map,
                   const __grid_constant__ CUtensorMap product_map,
                   const __grid_constant__ CUtensorMap out_map,
                   const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr bool kBackward = kDirection == Direction::kBackward;
  constexpr bool kKeeping = kDirection == Direction::kForwardKeeping;
  constexpr int kResults = kKeeping ? 4 : 2;  // pieces
  extern __shared__ char unaligned[];
  char* const panel = unaligned + (1024 - (shared_address_of(unaligned) & 1023)) % 1024;
  const int x_pieces = a.depth / kPieceColumns, pieces = x_pieces + kOwnPieces;
  char* const places = panel + x_pieces * kPanelBytes;
  Shared& shared = *reinterpret_cast<Shared*>(places + kGroups * pieces * kPieceBytes);
  const int panels = a.columns / kTileColumns;
  const int first_column = static_cast<int>(blockIdx.x) % panels * kTileColumns;
  const int part = static_cast<int>(blockIdx.x) / panels,
            parts = static_cast<int>(gridDim.x) / panels;
  const int tiles = static_cast<int>((a.rows + kTileRows - 1) / kTileRows);

  if (threadIdx.x == 0) {
    shared.weight_there.init(1);
    for (int i = 0; i < kGroups * pieces; ++i) {
      shared.full[i].init(1);
      shared.empty[i].init(1);
    }
    for (int i = 0; i < kGroups; ++i) {
      shared.result[i].init(128);
      shared.may_multiply[i].init(4);
    }
    fence_async();
  }
  if (threadIdx.x < kTileColumns)
    shared.bias[threadIdx.x] = a.bias != nullptr ? a.bias[first_column + threadIdx.x] : 0.0f;
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32 % 4;
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kFewRegisters<kGroups>));
    if (warp == 0 && lane == 0) {
      shared.weight_there.expect(x_pieces * kPanelBytes);
      for (int k = 0; k < x_pieces; ++k)
        if constexpr (kBackward) {  // 64 x 64 numbers, those of 64 columns one below the other
          for (int half = 0; half < 2; ++half)
            copy_box(panel + (half * x_pieces + k) * kPieceBytes, weight_map,
                     first_column + half * kPieceColumns, k * kPieceColumns, shared.weight_there);
        } else {
          copy_box(panel + k * kPanelBytes, weight_map, k * kPieceColumns, first_column,
                   shared.weight_there);
        }
      int group = 0, turn = 0;
      for (int tile = part; tile < tiles; tile += parts) {
        for (int k = 0; k < (kBackward ? pieces : x_pieces); ++k) {
          const int place = group * pieces + k;
          shared.empty[place].wait(turn ^ 1);
          shared.full[place].expect(kPieceBytes);
          char* const to = places + place * kPieceBytes;
          if (k < x_pieces)
            copy_box(to, x_map, k * kPieceColumns, tile * kTileRows, shared.full[place]);
          else
            copy_box(to, product_map, first_column + (k - x_pieces) * kPieceColumns,
                     tile * kTileRows, shared.full[place]);
        }
        if (++group == kGroups) {
          group = 0;
          turn ^= 1;
        }
      }
    } else if (warp > 0 && warp <= kGroups && lane == 0) {
      const int group = warp - 1, last = (group + 1) * pieces;
      int turn = 0;
      for (int tile = part + group * parts; tile < tiles; tile += kGroups * parts) {
        shared.result[group].wait(turn);
        turn ^= 1;
        for (int i = 0; i < kResults; ++i)
          store_box(i < kResults - 2 ? product_map : out_map, first_column + i % 2 * kPieceColumns,
                    tile * kTileRows, places + (last - kResults + i) * kPieceBytes);
        end_stores();
        wait_until_read();
        for (int i = 0; i < kResults; ++i) shared.empty[last - kResults + i].arrive();
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kManyRegisters<kGroups>));
    const int group = static_cast<int>(threadIdx.x) / 128 - 1;
    char* const mine = places + group * pieces * kPieceBytes;
    Barrier* const full = shared.full + group * pieces;
    Barrier* const empty = shared.empty + group * pieces;
    const TilePlaces result(mine + (pieces - 2) * kPieceBytes, warp, lane);
    float sums[4 * kBlocks16] = {};
    int turn = 0;
    shared.weight_there.wait(0);
    for (int tile = part + group * parts; tile < tiles; tile += kGroups * parts) {
      // The results' places are given back by who copies these.
      const auto release = [&](int k) {
        if (k < pieces - kResults && threadIdx.x % 128 == 0) empty[k].arrive();
      };
      // Group 0 starts freely; from its second tile on it waits until the last group has started
      // its tile before.
      shared.may_multiply[group].wait(group == 0 ? turn ^ 1 : turn);
      float c[64];
      for (int k = 0; k < x_pieces; ++k) {
        full[k].wait(turn);
        const std::uint64_t x = rows_of_128_bytes(mine + k * kPieceBytes);
        const std::uint64_t weight =
            kBackward ? columns_of_128_bytes(panel + k * kPieceBytes, x_pieces * kPieceBytes)
                      : rows_of_128_bytes(panel + k * kPanelBytes);
        constexpr int kX = 32 / 16, kWeight = (kBackward ? 16 * 128 : 32) / 16;  // 16 numbers on
        products_begin();
#pragma unroll
        for (int i = 0; i < kPieceColumns / 16; ++i)
          multiply_64x128<kBackward>(c, x + kX * i, weight + kWeight * i, k + i > 0);
        products_end_group();
        if (k > 0) {
          products_wait<1>();
          release(k - 1);
        }
      }
      if (lane == 0) shared.may_multiply[(group + 1) % kGroups].arrive();
      products_wait<0>();
      release(x_pieces - 1);
      if constexpr (kBackward) {
        full[x_pieces].wait(turn);
        full[x_pieces + 1].wait(turn);
        activate_backward<F, kBare>(c, shared.bias, result, sums, lane);
      } else {
        if constexpr (kKeeping) wait_for_each_other<128>(2 + group);  // all have read x
        empty[x_pieces].wait(turn ^ 1);
        empty[x_pieces + 1].wait(turn ^ 1);
        const TilePlaces product(mine + (pieces - kResults) * kPieceBytes, warp, lane);
        activate<F, kKeeping, kBare>(c, shared.bias, product, result, lane);
      }
      fence_async();
      shared.result[group].arrive();
      turn ^= 1;
    }
    if constexpr (kBackward && !kBare) {
      if (a.parts != nullptr) {
        // Nobody multiplies any more: the weight's place is free.
        wait_for_each_other<128 * kGroups>(1);
        auto& all = *reinterpret_cast<float(*)[4 * kGroups][kTileColumns]>(panel);
#pragma unroll
        for (int i = 0; i < 4 * kBlocks16; ++i) {
          for (int offset = 4; offset < 32; offset *= 2)
            sums[i] += __shfl_xor_sync(0xffffffff, sums[i], offset);
          if (lane < 4) all[4 * group + warp][i / 2 * 8 + 2 * lane + i % 2] = sums[i];
        }
        wait_for_each_other<128 * kGroups>(1);
        if (group == 0) {
          const int column = static_cast<int>(threadIdx.x) % 128;
          float total = 0;
          for (int w = 0; w < 4 * kGroups; ++w) total += all[w][column];
          a.parts[static_cast<std::int64_t>(part) * a.columns + first_column + column] = total;
        }
      }
    }
  }
#endif
}

// Shared memory of a block, in bytes.
std::int64_t shared_bytes(std::int64_t depth, int groups) {
  const std::int64_t x_pieces = depth / kPieceColumns;
  return 1024 + x_pieces * kPanelBytes + groups * (x_pieces + kOwnPieces) * kPieceBytes +
         static_cast<std::int64_t>(sizeof(Shared));
}

// How many groups multiply; 0: shared memory is too small.
int groups_for(std::int64_t depth) {
  for (const int groups : {kMostGroups, 2})
    if (shared_bytes(depth, groups) <= Gpu::current().shared_bytes &&
        groups * (depth / kPieceColumns + kOwnPieces) <= kMostPlaces)
      return groups;
  return 0;
}

// Blocks that share a panel of the weight.
int blocks_of_panel(std::int64_t columns) {
  return std::max(1, Gpu::current().multiprocessors / static_cast<int>(columns / kTileColumns));
}

template <Direction kDirection, int kGroups>
void launch(const ActivatedProduct& p, float* parts, cudaStream_t stream) {
  const auto kernel = p.activation == Activation::kGelu
                          ? product_kernel<Gelu, kDirection, kGroups, false>
                      : p.bias == nullptr && parts == nullptr
                          ? product_kernel<ReluSquared, kDirection, kGroups, true>
                          : product_kernel<ReluSquared, kDirection, kGroups, false>;
  const auto bytes = static_cast<int>(shared_bytes(p.depth, kGroups));
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  const auto grid = static_cast<unsigned>(p.columns / kTileColumns * blocks_of_panel(p.columns));
  const CUtensorMap out = tensor_map_of(p.out, p.rows, p.columns, kTileRows);
  kernel<<<grid, 128 * (1 + kGroups), bytes, stream>>>(
      tensor_map_of(p.x, p.rows, p.depth, kTileRows),
      kDirection == Direction::kBackward
          ? tensor_map_of(p.weight, p.depth, p.columns, kPieceColumns)
          : tensor_map_of(p.weight, p.columns, p.depth, kTileColumns),
      p.product != nullptr ? tensor_map_of(p.product, p.rows, p.columns, kTileRows) : out, out,
      Arguments{p.rows, static_cast<int>(p.columns), static_cast<int>(p.depth), p.bias, parts});
}

template <Direction kDirection>
void launch(const ActivatedProduct& p, float* parts, cudaStream_t stream) {
  if (p.rows == 0) return;
  groups_for(p.depth) == 3 ? launch<kDirection, 3>(p, parts, stream)
                           : launch<kDirection, 2>(p, parts, stream);
}

}  // namespace

void launch_activated_product(const ActivatedProduct& p, cudaStream_t stream) {
  p.product != nullptr ? launch<Direction::kForwardKeeping>(p, nullptr, stream)
                       : launch<Direction::kForward>(p, nullptr, stream);
}

void launch_activated_product_backward(const ActivatedProduct& p, float* dbias, float* workspace,
                                       cudaStream_t stream) {
  if (p.rows == 0 && dbias != nullptr) {
    cudaMemsetAsync(dbias, 0, static_cast<std::size_t>(p.columns) * sizeof(float), stream);
    return;
  }
  launch<Direction::kBackward>(p, dbias != nullptr ? workspace : nullptr, stream);
  if (dbias != nullptr)
    launch_sum_parts(workspace, blocks_of_panel(p.columns), p.columns, dbias, stream);
}

std::size_t activated_product_workspace(std::int64_t columns) {
  return sizeof(float) * static_cast<std::size_t>(blocks_of_panel(columns) * columns);
}

bool activated_product_takes(std::int64_t columns, std::int64_t depth) {
  return Gpu::current().major == 9 && columns > 0 && columns % kTileColumns == 0 &&
         depth >= 2 * kPieceColumns && depth % kPieceColumns == 0 && groups_for(depth) > 0;
}

}  // namespace mgdm::ops::cuda
