// A block takes tiles of 128 rows and 64 columns, one below the other; a thread four rows and eight
// columns of a tile. It turns its four rows in registers, so that what goes through shared memory
// are whole words: a word is four rows of a column.
//
// The first pass goes down, the second up: what was read last is still in the cache.
#include <cuda_fp8.h>

#include <algorithm>
#include <cfloat>

#include "ops/cuda/activations.cuh"
#include "ops/cuda/eight.cuh"
#include "ops/cuda/fp8_cast.h"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kTileRows = 128, kTileColumns = 64;
constexpr int kThreadRows = 4, kThreadColumns = 8;
constexpr int kWords = kTileRows / 4;  // of a tile's column
constexpr int kPitch = kWords + 1;     // a column's words lie in other banks than its neighbour's
constexpr int kBlocks = 4 * 132;       // four on each multiprocessor of an H200

__device__ __forceinline__ uint4 load16(const void* from) {
  return *static_cast<const uint4*>(from);
}

// What is rounded. `Bits` are loaded for several rows before the first is used; `Columns` stay in
// registers from row to row; so many blocks are to fit on a multiprocessor that nothing spills.

struct Bf16 {
  static constexpr int kResident = 4;
  const __nv_bfloat16* x;
  using Bits = uint4;
  struct Columns {};
  __device__ Columns columns(std::int64_t) const { return {}; }
  __device__ Bits load(std::int64_t at) const { return load16(x + at); }
  __device__ Eight value(const Bits& bits, const Columns&) const { return unpack(bits); }
};

struct Float {
  static constexpr int kResident = 3;
  const float* x;
  struct Bits {
    float4 low, high;
  };
  struct Columns {};
  __device__ Columns columns(std::int64_t) const { return {}; }
  __device__ Bits load(std::int64_t at) const {
    const auto* const from = reinterpret_cast<const float4*>(x + at);
    return {from[0], from[1]};
  }
  __device__ Eight value(const Bits& bits, const Columns&) const {
    return {{bits.low.x, bits.low.y, bits.low.z, bits.low.w, bits.high.x, bits.high.y, bits.high.z,
             bits.high.w}};
  }
};

template <class F>
struct Activated {
  static constexpr int kResident = 3;
  const __nv_bfloat16* x;
  const float* bias;
  using Bits = uint4;
  using Columns = Eight;
  __device__ Columns columns(std::int64_t column) const { return bias_at(bias, column); }
  __device__ Bits load(std::int64_t at) const { return load16(x + at); }
  __device__ Eight value(const Bits& bits, const Columns& b) const {
    Eight result = unpack(bits);
#pragma unroll
    for (int i = 0; i < kThreadColumns; ++i)
      result.value[i] = F::value(result.value[i] + b.value[i]);
    return result;
  }
};

template <class F>
struct ActivatedGradient {
  static constexpr int kResident = 2;
  const __nv_bfloat16 *x, *dy;
  const float* bias;
  struct Bits {
    uint4 x, dy;
  };
  using Columns = Eight;
  __device__ Columns columns(std::int64_t column) const { return bias_at(bias, column); }
  __device__ Bits load(std::int64_t at) const { return {load16(x + at), load16(dy + at)}; }
  __device__ Eight value(const Bits& bits, const Columns& b) const {
    const Eight u = unpack(bits.x);
    Eight result = unpack(bits.dy);
#pragma unroll
    for (int i = 0; i < kThreadColumns; ++i) result.value[i] *= F::slope(u.value[i] + b.value[i]);
    return result;
  }
};

struct Size {
  std::int64_t rows, columns;
  __host__ __device__ std::int64_t tiles() const { return (rows + kTileRows - 1) / kTileRows; }
};

// Where a thread works.
struct Place {
  int group = static_cast<int>(threadIdx.x) / 8;   // of rows
  int eighth = static_cast<int>(threadIdx.x) % 8;  // of the tile's columns
  std::int64_t first_column = static_cast<std::int64_t>(blockIdx.x) * kTileColumns;
  std::int64_t column = first_column + kThreadColumns * eighth;
};

// Calls use(i, numbers of row + i) for four rows; zeros outside.
template <class Source, class Use>
__device__ __forceinline__ void for_four_rows(const Source& source,
                                              const typename Source::Columns& columns,
                                              const Size& size, std::int64_t row,
                                              std::int64_t column, Use&& use) {
  typename Source::Bits bits[kThreadRows];
  const bool inside = column < size.columns;
#pragma unroll
  for (int i = 0; i < kThreadRows; ++i)
    if (inside && row + i < size.rows) bits[i] = source.load((row + i) * size.columns + column);
#pragma unroll
  for (int i = 0; i < kThreadRows; ++i)
    use(i, inside && row + i < size.rows ? source.value(bits[i], columns) : Eight{});
}

// The largest absolute value, as the bits of a float: these are ordered as the numbers are, with
// NaN above infinity, and a maximum is the same in every order.
template <class Source>
__global__ void __launch_bounds__(kThreads, 4)
    largest_kernel(const Source source, const Size size, unsigned* largest) {
  __shared__ unsigned of_warps[kWarps];
  const Place place;
  typename Source::Columns columns{};
  if (place.column < size.columns) columns = source.columns(place.column);
  unsigned most = 0;
  for (std::int64_t tile = blockIdx.y; tile < size.tiles(); tile += gridDim.y) {
    const std::int64_t row = tile * kTileRows + kThreadRows * place.group;
    for_four_rows(source, columns, size, row, place.column, [&](int, const Eight& numbers) {
#pragma unroll
      for (int j = 0; j < kThreadColumns; ++j)
        most = max(most, __float_as_uint(numbers.value[j]) & 0x7fffffffu);
    });
  }
  most = __reduce_max_sync(0xffffffffu, most);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int warp = 1; warp < kWarps; ++warp) most = max(most, of_warps[warp]);
  atomicMax(largest, most);
}

struct Scale {
  float scale, inverse;
};

// Both maxima are 7/8 of a power of two: 2^9 and 2^16.
template <NumberType kType>
__device__ __forceinline__ Scale scale_for(float largest) {
  constexpr int kTop = kType == NumberType::kE4m3 ? 9 : 16;
  if (!(largest <= FLT_MAX)) return {__uint_as_float(0x7fffffffu), __uint_as_float(0x7fffffffu)};
  if (largest == 0) return {1, 1};
  int exponent = 0;
  const float fraction = frexpf(largest, &exponent);  // in [1/2, 1)
  exponent += (fraction > 0.875f ? 1 : 0) - kTop;
  exponent = min(126, max(-126, exponent));
  return {ldexpf(1, exponent), ldexpf(1, -exponent)};
}

// Four numbers to four bytes.
template <NumberType kType>
__device__ __forceinline__ unsigned codes_of(const float* numbers, float inverse) {
  constexpr auto kHow = kType == NumberType::kE4m3 ? __NV_E4M3 : __NV_E5M2;
  const unsigned low = __nv_cvt_float2_to_fp8x2(
      make_float2(numbers[0] * inverse, numbers[1] * inverse), __NV_SATFINITE, kHow);
  const unsigned high = __nv_cvt_float2_to_fp8x2(
      make_float2(numbers[2] * inverse, numbers[3] * inverse), __NV_SATFINITE, kHow);
  return low | high << 16;
}

// Four bytes of each of four rows to four of each of four columns.
__device__ __forceinline__ uint4 turn(unsigned a, unsigned b, unsigned c, unsigned d) {
  const unsigned ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
  const unsigned cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
  return {__byte_perm(ab_low, cd_low, 0x5410), __byte_perm(ab_low, cd_low, 0x7632),
          __byte_perm(ab_high, cd_high, 0x5410), __byte_perm(ab_high, cd_high, 0x7632)};
}

struct Written {
  unsigned char* codes;
  unsigned char* turned;
  std::int64_t turned_length;
  const float* largest;
  float* scale;
  float* parts;  // (gridDim.y, columns), or null
};

// A block's part of the sums; the order is always the same.
__device__ __forceinline__ void write_sums(Eight sum, const Place& place, const Size& size,
                                           float* parts) {
  __shared__ float of_warps[kWarps][kTileColumns];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < kThreadColumns; ++j) {
    float value = sum.value[j];
    value += __shfl_xor_sync(0xffffffffu, value, 8);
    value += __shfl_xor_sync(0xffffffffu, value, 16);
    if (lane < 8) of_warps[warp][kThreadColumns * place.eighth + j] = value;
  }
  __syncthreads();
  const int mine = threadIdx.x;
  if (mine >= kTileColumns || place.first_column + mine >= size.columns) return;
  float total = 0;
#pragma unroll
  for (int other = 0; other < kWarps; ++other) total += of_warps[other][mine];
  parts[static_cast<std::int64_t>(blockIdx.y) * size.columns + place.first_column + mine] = total;
}

template <class Source, NumberType kType>
__global__ void __launch_bounds__(kThreads, Source::kResident)
    cast_kernel(const Source source, const Size size, const Written to) {
  __shared__ unsigned words[kTileColumns * kPitch];
  const Place place;
  const bool inside = place.column < size.columns;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  typename Source::Columns columns{};
  if (inside) columns = source.columns(place.column);
  const Scale by = scale_for<kType>(*to.largest);
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *to.scale = by.scale;
  Eight sum{};
  for (std::int64_t tile = blockIdx.y; tile < size.tiles(); tile += gridDim.y) {
    const std::int64_t first = (size.tiles() - 1 - tile) * kTileRows;
    const std::int64_t row = first + kThreadRows * place.group;
    uint2 codes[kThreadRows];
    for_four_rows(source, columns, size, row, place.column, [&](int i, const Eight& numbers) {
      codes[i] = {codes_of<kType>(numbers.value, by.inverse),
                  codes_of<kType>(numbers.value + 4, by.inverse)};
      if (to.parts != nullptr) {
#pragma unroll
        for (int j = 0; j < kThreadColumns; ++j) sum.value[j] += numbers.value[j];
      }
    });
#pragma unroll
    for (int i = 0; i < kThreadRows; ++i)
      if (inside && row + i < size.rows)
        *reinterpret_cast<uint2*>(to.codes + (row + i) * size.columns + place.column) = codes[i];
    const uint4 low = turn(codes[0].x, codes[1].x, codes[2].x, codes[3].x);
    const uint4 high = turn(codes[0].y, codes[1].y, codes[2].y, codes[3].y);
    const unsigned by_column[kThreadColumns] = {low.x,  low.y,  low.z,  low.w,
                                                high.x, high.y, high.z, high.w};
#pragma unroll
    for (int j = 0; j < kThreadColumns; ++j)
      words[(kThreadColumns * place.eighth + j) * kPitch + place.group] = by_column[j];
    __syncthreads();
    const std::int64_t word_row = first + 4 * lane;
    if (word_row < to.turned_length) {
#pragma unroll
      for (int column = warp; column < kTileColumns; column += kWarps)
        if (place.first_column + column < size.columns)
          *reinterpret_cast<unsigned*>(
              to.turned + (place.first_column + column) * to.turned_length + word_row) =
              words[column * kPitch + lane];
    }
    __syncthreads();
  }
  if (to.parts != nullptr) write_sums(sum, place, size, to.parts);
}

std::int64_t across(std::int64_t columns) { return (columns + kTileColumns - 1) / kTileColumns; }
std::int64_t most_parts(std::int64_t columns) {
  return std::max<std::int64_t>(1, kBlocks / across(columns));
}

template <class Source, NumberType kType>
void launch(const Source& source, const Fp8Cast& cast, cudaStream_t stream) {
  const Size size{cast.rows, cast.columns};
  const std::int64_t parts = std::min(size.tiles(), most_parts(cast.columns));
  const dim3 grid(static_cast<unsigned>(across(cast.columns)), static_cast<unsigned>(parts));
  auto* const largest = reinterpret_cast<unsigned*>(cast.largest);
  cudaMemsetAsync(largest, 0, sizeof *largest, stream);
  largest_kernel<<<grid, kThreads, 0, stream>>>(source, size, largest);
  cast_kernel<Source, kType><<<grid, kThreads, 0, stream>>>(
      source, size,
      {static_cast<unsigned char*>(cast.codes), static_cast<unsigned char*>(cast.turned),
       fp8_turned_length(cast.rows), cast.largest, cast.scale,
       cast.sums != nullptr ? cast.workspace : nullptr});
  if (cast.sums != nullptr)
    launch_sum_parts(cast.workspace, parts, cast.columns, cast.sums, stream);
}

template <class Source>
void launch(const Source& source, const Fp8Cast& cast, cudaStream_t stream) {
  if (cast.type == NumberType::kE4m3) {
    launch<Source, NumberType::kE4m3>(source, cast, stream);
  } else {
    launch<Source, NumberType::kE5m2>(source, cast, stream);
  }
}

template <class F>
void launch_activated(const Fp8Cast& cast, cudaStream_t stream) {
  const auto* const x = static_cast<const __nv_bfloat16*>(cast.of.x);
  const auto* const dy = static_cast<const __nv_bfloat16*>(cast.of.dy);
  if (dy == nullptr) {
    launch(Activated<F>{x, cast.of.bias}, cast, stream);
  } else {
    launch(ActivatedGradient<F>{x, dy, cast.of.bias}, cast, stream);
  }
}

}  // namespace

void launch_fp8_cast(const Fp8Cast& cast, cudaStream_t stream) {
  if (cast.rows == 0 || cast.columns == 0) return;
  if (cast.of.activation == Activation::kGelu) {
    launch_activated<Gelu>(cast, stream);
  } else if (cast.of.activation == Activation::kReluSquared) {
    launch_activated<ReluSquared>(cast, stream);
  } else if (cast.of.type == NumberType::kFloat32) {
    launch(Float{static_cast<const float*>(cast.of.x)}, cast, stream);
  } else {
    launch(Bf16{static_cast<const __nv_bfloat16*>(cast.of.x)}, cast, stream);
  }
}

std::size_t fp8_cast_workspace(std::int64_t columns) {
  return sizeof(float) * static_cast<std::size_t>(most_parts(columns) * columns);
}

}  // namespace mgdm::ops::cuda
