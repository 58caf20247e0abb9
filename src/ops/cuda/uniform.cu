// A thread makes one Philox block, that is four neighbours of a row: no state, nothing to share, so
// the numbers do not depend on how the grid is cut.
#include "base/philox.h"
#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {
namespace {

__global__ void uniform_kernel(float* out, const std::int64_t* items, const std::int64_t* step,
                               std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                               std::uint32_t purpose) {
  const std::int64_t blocks = (columns + 3) / 4;  // Philox blocks in a row
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= rows * blocks) return;
  const std::int64_t row = index / blocks, block = index % blocks;
  const PhiloxWords words =
      stream_block(seed, purpose, static_cast<std::uint32_t>(items[row]),
                   static_cast<std::uint32_t>(*step), static_cast<std::uint32_t>(block));
  for (unsigned i = 0; i < 4 && 4 * block + i < columns; ++i)
    out[row * columns + 4 * block + i] = philox_uniform(words[i]);
}

}  // namespace

void launch_uniform(float* out, const std::int64_t* items, const std::int64_t* step,
                    std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                    std::uint32_t purpose, cudaStream_t stream) {
  constexpr std::int64_t kThreads = 256;
  const std::int64_t threads = rows * ((columns + 3) / 4);
  if (threads == 0) return;
  const auto grid = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  uniform_kernel<<<grid, kThreads, 0, stream>>>(out, items, step, rows, columns, seed, purpose);
}

}  // namespace mgdm::ops::cuda
