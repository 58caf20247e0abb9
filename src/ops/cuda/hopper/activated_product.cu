// A block keeps 128 rows of the weight in shared memory and walks over x, 64 rows at a time. One
// thread starts the copies of x, in pieces of 64 columns, into a ring; two or three groups of four
// warps take the tiles of 64 x 128 in turn. While one applies the activation and writes, the others
// multiply.
//
// A barrier of the ring tells only its last phase from the one before. So the ring must have room
// for a tile of every group: then what a group waits for comes right after what it has taken
// itself.
#include <cuda_bf16.h>

#include <algorithm>
#include <stdexcept>

#include "ops/cuda/activations.cuh"
#include "ops/cuda/hopper/activated_product.h"
#include "ops/cuda/hopper/warpgroup.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kTileRows = 64, kTileColumns = 128, kPieceColumns = 64;
constexpr int kPieceBytes = kTileRows * kPieceColumns * 2;
constexpr int kPanelBytes = kTileColumns * kPieceColumns * 2;  // of 64 columns of the weight
constexpr int kMostGroups = 3;                                 // that multiply
constexpr int kMaxPieces = 20;

// Registers of a thread that copies and of one that multiplies, of 65536 in all.
template <int kGroups>
constexpr int kFewRegisters = kGroups == 3 ? 32 : 40;
template <int kGroups>
constexpr int kManyRegisters = kGroups == 3 ? 160 : 232;

struct Arguments {
  std::int64_t rows;
  int columns, depth;
  int pieces;  // in the ring
  const float* bias;
  __nv_bfloat16 *product, *out;
  float* parts;  // (blocks of a panel, N) of dbias, or null
};

// What is in shared memory beside the weight and the ring.
struct Shared {
  Barrier weight_there, full[kMaxPieces], empty[kMaxPieces];
  float4 bias[kTileColumns / 4];
  float sums[4 * kMostGroups][kTileColumns];
};

__device__ __forceinline__ std::uint32_t two(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const std::uint32_t&>(pair);
}
__device__ __forceinline__ float4 four(uint2 bits) {
  return {__uint_as_float(bits.x << 16), __uint_as_float(bits.x & 0xffff0000u),
          __uint_as_float(bits.y << 16), __uint_as_float(bits.y & 0xffff0000u)};
}

template <class F, bool kBackward, int kGroups>
__global__ void __launch_bounds__(128 * (1 + kGroups), 1)
    product_kernel(const __grid_constant__ CUtensorMap x_map,
                   const __grid_constant__ CUtensorMap weight_map,
                   const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr int kThreads = 128 * (1 + kGroups);
  extern __shared__ char unaligned[];
  char* const panel = unaligned + (1024 - (shared_address_of(unaligned) & 1023)) % 1024;
  const int depth_pieces = a.depth / kPieceColumns;
  char* const ring = panel + depth_pieces * kPanelBytes;
  Shared& shared = *reinterpret_cast<Shared*>(ring + a.pieces * kPieceBytes);
  const int panels = a.columns / kTileColumns;
  const int first_column = static_cast<int>(blockIdx.x) % panels * kTileColumns;
  const int part = static_cast<int>(blockIdx.x) / panels,
            parts = static_cast<int>(gridDim.x) / panels;
  const int tiles = static_cast<int>((a.rows + kTileRows - 1) / kTileRows);

  if (threadIdx.x == 0) {
    shared.weight_there.init(1);
    for (int i = 0; i < a.pieces; ++i) {
      shared.full[i].init(1);
      shared.empty[i].init(1);
    }
    fence_async();
  }
  for (int i = static_cast<int>(threadIdx.x); i < kTileColumns; i += kThreads)
    reinterpret_cast<float*>(shared.bias)[i] = a.bias != nullptr ? a.bias[first_column + i] : 0.0f;
  __syncthreads();

  const int group = static_cast<int>(threadIdx.x) / 128 - 1;
  if (group < 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kFewRegisters<kGroups>));
    if (threadIdx.x == 0) {
      shared.weight_there.expect(depth_pieces * kPanelBytes);
      for (int k = 0; k < depth_pieces; ++k)
        copy_box(panel + k * kPanelBytes, weight_map, k * kPieceColumns, first_column,
                 shared.weight_there);
      int piece = 0, turn = 0;
      for (int tile = part; tile < tiles; tile += parts)
        for (int k = 0; k < depth_pieces; ++k) {
          shared.empty[piece].wait(turn ^ 1);
          shared.full[piece].expect(kPieceBytes);
          copy_box(ring + piece * kPieceBytes, x_map, k * kPieceColumns, tile * kTileRows,
                   shared.full[piece]);
          if (++piece == a.pieces) {
            piece = 0;
            turn ^= 1;
          }
        }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kManyRegisters<kGroups>));
    const int lane = static_cast<int>(threadIdx.x) % 32,
              warp = static_cast<int>(threadIdx.x) / 32 % 4;
    // Lanes exchange, so that each has four neighbouring columns of one of two blocks.
    const bool odd = lane % 2 != 0;
    const int my_column = (odd ? 8 : 0) + lane % 4 / 2 * 4;
    float sums[32] = {};
    shared.weight_there.wait(0);
    for (int tile = part + group * parts, count = group; tile < tiles;
         tile += kGroups * parts, count += kGroups) {
      const std::int64_t row = static_cast<std::int64_t>(tile) * kTileRows + 16 * warp + lane / 4;
      const std::int64_t start = row * a.columns + first_column + my_column;
      uint2 before[2][8];  // backward: what is kept
      if constexpr (kBackward) {
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
          for (int pair = 0; pair < 8; ++pair) {
            before[half][pair] = {};
            if (row + 8 * half < a.rows)
              before[half][pair] = __ldcs(reinterpret_cast<const uint2*>(
                  a.product + start + 8 * half * a.columns + 16 * pair));
          }
      }
      float c[64];
      int piece = count * depth_pieces % a.pieces, turn = count * depth_pieces / a.pieces % 2;
      int last = 0;
      for (int k = 0; k < depth_pieces; ++k) {
        shared.full[piece].wait(turn);
        const std::uint64_t x = rows_of_128_bytes(ring + piece * kPieceBytes);
        const std::uint64_t weight = rows_of_128_bytes(panel + k * kPanelBytes);
        products_begin();
#pragma unroll
        for (int i = 0; i < kPieceColumns / 16; ++i)  // 32 bytes later
          multiply_64x128(c, x + 2 * i, weight + 2 * i, k + i > 0);
        products_end_group();
        if (k > 0) {
          products_wait<1>();
          if (threadIdx.x % 128 == 0) shared.empty[last].arrive();
        }
        last = piece;
        if (++piece == a.pieces) {
          piece = 0;
          turn ^= 1;
        }
      }
      products_wait<0>();
      if (threadIdx.x % 128 == 0) shared.empty[last].arrive();

#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int pair = 0; pair < 8; ++pair) {
          const float* const even_block = c + 8 * pair + 2 * half;
          const std::uint32_t even_word = two(even_block[0], even_block[1]);
          const std::uint32_t odd_word = two(even_block[4], even_block[5]);
          const std::uint32_t got = __shfl_xor_sync(0xffffffff, odd ? even_word : odd_word, 1);
          const uint2 mine{odd ? got : even_word, odd ? odd_word : got};
          const float4 bias = shared.bias[(16 * pair + my_column) / 4];
          const float4 u = four(kBackward ? before[half][pair] : mine);
          uint2 result;
          if constexpr (kBackward) {
            const float4 g = four(mine);
            const float4 d{
                g.x * F::slope_of_kept(u.x + bias.x), g.y * F::slope_of_kept(u.y + bias.y),
                g.z * F::slope_of_kept(u.z + bias.z), g.w * F::slope_of_kept(u.w + bias.w)};
            if (row + 8 * half < a.rows) {
              sums[4 * pair] += d.x;
              sums[4 * pair + 1] += d.y;
              sums[4 * pair + 2] += d.z;
              sums[4 * pair + 3] += d.w;
            }
            result = {two(d.x, d.y), two(d.z, d.w)};
          } else {
            result = {two(F::value(u.x + bias.x), F::value(u.y + bias.y)),
                      two(F::value(u.z + bias.z), F::value(u.w + bias.w))};
          }
          if (row + 8 * half < a.rows) {
            const std::int64_t at = start + 8 * half * a.columns + 16 * pair;
            if (!kBackward && a.product != nullptr)
              __stcs(reinterpret_cast<uint2*>(a.product + at), mine);
            *reinterpret_cast<uint2*>(a.out + at) = result;
          }
        }
    }
    if constexpr (kBackward) {
      if (a.parts != nullptr) {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
          for (int offset = 4; offset < 32; offset *= 2)
            sums[i] += __shfl_xor_sync(0xffffffff, sums[i], offset);
          if (lane < 4) shared.sums[4 * group + warp][i / 4 * 16 + my_column + i % 4] = sums[i];
        }
        asm volatile("bar.sync 1, %0;" ::"n"(128 * kGroups) : "memory");
        if (group == 0) {
          const int column = static_cast<int>(threadIdx.x) % 128;
          float total = 0;
          for (int w = 0; w < 4 * kGroups; ++w) total += shared.sums[w][column];
          a.parts[static_cast<std::int64_t>(part) * a.columns + first_column + column] = total;
        }
      }
    }
  }
#endif
}

struct Device {
  int multiprocessors = 0, shared_bytes = 0, major = 0;

  static const Device& current() {  // all devices are taken to be like the first that asks
    static const Device found = [] {
      Device d;
      int device = 0;
      cudaGetDevice(&device);
      cudaDeviceGetAttribute(&d.multiprocessors, cudaDevAttrMultiProcessorCount, device);
      cudaDeviceGetAttribute(&d.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
      cudaDeviceGetAttribute(&d.major, cudaDevAttrComputeCapabilityMajor, device);
      return d;
    }();
    return found;
  }
};

int ring_pieces(std::int64_t depth) {
  const std::int64_t left = Device::current().shared_bytes - 1024 -
                            static_cast<std::int64_t>(sizeof(Shared)) -
                            depth / kPieceColumns * kPanelBytes;
  return static_cast<int>(std::min<std::int64_t>(left / kPieceBytes, kMaxPieces));
}

// Blocks that share a panel of the weight.
int blocks_of_panel(std::int64_t columns) {
  return std::max(1, Device::current().multiprocessors / static_cast<int>(columns / kTileColumns));
}

// Boxes of `box_rows` rows and 64 columns of a matrix.
CUtensorMap map_of(const void* matrix, std::int64_t rows, std::int64_t columns, int box_rows) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                     &result);
    return reinterpret_cast<Encode>(found);
  }();
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitch[1] = {static_cast<cuuint64_t>(2 * columns)};
  const cuuint32_t box[2] = {kPieceColumns, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  CUtensorMap map;
  if (encode == nullptr ||
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<void*>(matrix), sizes, pitch,
             box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    throw std::runtime_error("a product's matrices cannot be copied as tensors");
  return map;
}

// With how many groups of warps; 0: none, the ring would be too small.
int groups_for(std::int64_t depth) {
  const std::int64_t pieces = ring_pieces(depth), tile = depth / kPieceColumns;
  return pieces >= 3 * tile ? 3 : pieces >= 2 * tile ? 2 : 0;
}

template <bool kBackward, int kGroups>
void launch(const ActivatedProduct& p, float* parts, cudaStream_t stream) {
  if (p.rows == 0) return;
  const int pieces = ring_pieces(p.depth);
  const int bytes = static_cast<int>(1024 + p.depth / kPieceColumns * kPanelBytes +
                                     pieces * kPieceBytes + sizeof(Shared));
  const auto kernel = p.activation == Activation::kGelu
                          ? product_kernel<Gelu, kBackward, kGroups>
                          : product_kernel<ReluSquared, kBackward, kGroups>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  const auto grid = static_cast<unsigned>(p.columns / kTileColumns * blocks_of_panel(p.columns));
  kernel<<<grid, 128 * (1 + kGroups), bytes, stream>>>(
      map_of(p.x, p.rows, p.depth, kTileRows), map_of(p.weight, p.columns, p.depth, kTileColumns),
      Arguments{p.rows, static_cast<int>(p.columns), static_cast<int>(p.depth), pieces, p.bias,
                static_cast<__nv_bfloat16*>(p.product), static_cast<__nv_bfloat16*>(p.out), parts});
}

template <bool kBackward>
void launch(const ActivatedProduct& p, float* parts, cudaStream_t stream) {
  groups_for(p.depth) == 3 ? launch<kBackward, 3>(p, parts, stream)
                           : launch<kBackward, 2>(p, parts, stream);
}

}  // namespace

void launch_activated_product(const ActivatedProduct& p, cudaStream_t stream) {
  launch<false>(p, nullptr, stream);
}

void launch_activated_product_backward(const ActivatedProduct& p, float* dbias, float* workspace,
                                       cudaStream_t stream) {
  launch<true>(p, dbias != nullptr ? workspace : nullptr, stream);
  if (dbias != nullptr)
    launch_sum_parts(workspace, blocks_of_panel(p.columns), p.columns, dbias, stream);
}

std::size_t activated_product_workspace(std::int64_t columns) {
  return sizeof(float) * static_cast<std::size_t>(blocks_of_panel(columns) * columns);
}

bool activated_product_takes(std::int64_t columns, std::int64_t depth) {
  return Device::current().major == 9 && columns > 0 && columns % kTileColumns == 0 && depth > 0 &&
         depth % kPieceColumns == 0 && groups_for(depth) > 0;
}

}  // namespace mgdm::ops::cuda
