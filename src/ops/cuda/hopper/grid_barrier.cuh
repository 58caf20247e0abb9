// All blocks of a cooperative launch wait for each other.
#pragma once

#include "ops/cuda/patience.cuh"

namespace mgdm::ops::cuda {

// What a block wrote before it arrived all blocks may read after they have waited, past their L1
// caches (__ldcg, cp.async.cg). In between is time for what depends on no other block. The counter,
// in device memory, is 0 at the launch, and again at its end.
class GridBarrier {
 public:
  explicit __device__ GridBarrier(unsigned* counter) : counter_(counter) {}

  __device__ void arrive() {
    __syncthreads();
    awaited_ += gridDim.x;
    if (threadIdx.x == 0)
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter_) : "memory");
  }

  __device__ void wait() const {
    if (threadIdx.x == 0)
      for (Patience patience; static_cast<int>(seen() - awaited_) < 0; patience.wait_on()) {
      }
    __syncthreads();
  }

  // After the last wait. Whoever comes last knows that nobody looks at the counter any more.
  __device__ void leave() const {
    if (threadIdx.x == 0 && atomicAdd(counter_, 1u) == awaited_ + gridDim.x - 1) *counter_ = 0;
  }

 private:
  __device__ unsigned seen() const {
    unsigned count;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter_) : "memory");
    return count;
  }

  unsigned* const counter_;
  unsigned awaited_ = 0;
};

}  // namespace mgdm::ops::cuda
