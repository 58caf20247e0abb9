// Blocks of a cluster, which run side by side and can write into each other's shared memory, and
// copies of whole rows to shared memory, one function each.
#pragma once

#include <cstdint>

#include "ops/cuda/hopper/warpgroup.cuh"
#include "ops/cuda/patience.cuh"

namespace mgdm::ops::cuda {

// The thread's number. Asked for again every time: what depends on it is not kept in registers from
// one phase to another.
__device__ __forceinline__ int thread_again() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

// Which block of its cluster this is.
__device__ __forceinline__ int cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// All threads of the cluster meet.
__device__ __forceinline__ void meet_cluster() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Waits for the end of a barrier's phase of that parity, but not for ever.
__device__ __forceinline__ void wait_for(Barrier& barrier, int parity) {
  const std::uint32_t address = shared_address_of(&barrier);
  for (Patience patience;; patience.wait_on()) {
    std::uint32_t over;
    asm volatile(
        "{\n.reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n}"
        : "=r"(over)
        : "r"(address), "r"(parity)
        : "memory");
    if (over != 0) return;
  }
}

// An address's place in the shared memory of another block of the cluster.
__device__ __forceinline__ std::uint32_t address_at(std::uint32_t address, int rank) {
  std::uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
// Starts copying `bytes`, a multiple of 16, of this block's shared memory there; a barrier there
// counts them. They stay as they are until the other block has them.
__device__ __forceinline__ void send_bytes(std::uint32_t there, std::uint32_t from, int bytes,
                                           std::uint32_t barrier_there) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(there),
      "r"(from), "r"(bytes), "r"(barrier_there)
      : "memory");
}

// What this thread wrote to any memory is there for copies that are started after a barrier.
__device__ __forceinline__ void fence_copies() { asm volatile("fence.proxy.async;" ::: "memory"); }

// Starts copying `bytes`, a multiple of 16, to shared memory.
__device__ __forceinline__ void copy_bytes(std::uint32_t to, const void* from, int bytes,
                                           Barrier& done) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(shared_address_of(&done))
      : "memory");
}

}  // namespace mgdm::ops::cuda
