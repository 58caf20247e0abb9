// A head's rows, all of them, from device memory to shared memory.
//
// From sm_90 on one thread asks for all rows of a tensor, as a box of it: a tensor copy orders the
// pieces of a row as place() does. Before, lanes copy 16 bytes each, which takes a tenth of the
// kernel's instructions.
#pragma once

#include "ops/cuda/attention_rows.cuh"
#include "ops/cuda/device.h"
#include "ops/cuda/tensor_copies.cuh"

namespace mgdm::ops::cuda {

// Numbers (B, N, columns), of which a head has kSize columns.
template <int kSize>
struct HeadTensor {
  const __nv_bfloat16* numbers;
  int columns;
  CUtensorMap map;

  // Columns of `times` times all heads; `copied`: HeadCopies shall copy of it.
  HeadTensor(const void* from, const AttentionSettings& s, int times, bool copied)
      : numbers(static_cast<const __nv_bfloat16*>(from)),
        columns(times * static_cast<int>(s.heads) * kSize),
        map(copied && has_tensor_copies()
                ? tensor_map_of(from, s.batch, s.length, columns,
                                box_rows(round_up(static_cast<int>(s.length), 16)), kSize)
                : CUtensorMap{}) {}

  // A box has at most 256 rows. Of more, boxes of 16, so that the last one ends with the rows.
  MGDM_HOST_DEVICE static constexpr int box_rows(int rows) { return rows <= 256 ? rows : 16; }
};

// Copies of all rows of a head, of which those from `valid` on become zeros. All threads of the
// block call start() and wait(), once.
template <int kSize>
class HeadCopies {
 public:
  struct Copy {
    std::uint32_t to;
    const HeadTensor<kSize>& from;
    int column;
  };

  static constexpr int kBytes = sizeof(Barrier);

  __device__ HeadCopies(char* memory, int valid, int rows)
      : barrier_(*reinterpret_cast<Barrier*>(memory)), valid_(valid), rows_(rows) {}

  template <int kCount>
  __device__ void start(int batch, const Copy (&copies)[kCount]) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0) return;
    barrier_.init(1);
    fence_barriers();
    barrier_.expect(kCount * rows_ * kPitch<kSize>);
    const int box = HeadTensor<kSize>::box_rows(rows_);
    for (int row = 0; row < rows_; row += box)
#pragma unroll
      for (const Copy& c : copies)
        copy_box(c.to + row * kPitch<kSize>, c.from.map, c.column, row, batch, barrier_);
#else
#pragma unroll
    for (const Copy& c : copies)
      load_rows<kSize>(
          c.to,
          c.from.numbers + static_cast<std::int64_t>(batch) * valid_ * c.from.columns + c.column,
          c.from.columns, valid_, rows_);
#endif
  }

  // Until the tiles that this warp visits (for_each_tile) are there, and perhaps all.
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    __syncthreads();  // the barrier is there
    barrier_.wait(0);
#else
    wait_for_copies();
#endif
  }

 private:
  Barrier& barrier_;
  int valid_, rows_;
};

}  // namespace mgdm::ops::cuda
