// Copies of boxes of a tensor between device and shared memory, which one thread asks for, and the
// barriers that say when they are there. From sm_90 on.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace mgdm::ops::cuda {

__device__ __forceinline__ std::uint32_t shared_address_of(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// A barrier in shared memory: a phase ends when `count` threads have arrived and the bytes that
// were announced are there.
struct Barrier {
  std::uint64_t state;

  __device__ void init(int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address_of(this)),
                 "r"(count)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address_of(this))
                 : "memory");
  }
  // Arrives, and announces bytes that a copy will bring.
  __device__ void expect(int bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address_of(this)),
        "r"(bytes)
        : "memory");
  }
  // Waits for the end of the phase of that parity: the first has 0. The phase before the first
  // counts as over.
  __device__ void wait(int parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra.uni over;\nbra.uni again;\nover:\n}" ::"r"(shared_address_of(this)),
        "r"(parity)
        : "memory");
  }
};

// Barriers that this thread made are there for its copies.
__device__ __forceinline__ void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// What threads wrote to shared memory by themselves, barriers too, is there for copies and
// products.
__device__ __forceinline__ void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Copies the box of the tensor that starts at (row, column) to shared memory.
__device__ __forceinline__ void copy_box(void* to, const CUtensorMap& from, int column, int row,
                                         Barrier& done) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_address_of(to)),
      "l"(&from), "r"(column), "r"(row), "r"(shared_address_of(&done))
      : "memory");
}

// Copies a box of matrix `batch` of a tensor of matrices.
__device__ __forceinline__ void copy_box(std::uint32_t to, const CUtensorMap& from, int column,
                                         int row, int batch, Barrier& done) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3, %4}], [%5];" ::"r"(to),
      "l"(&from), "r"(column), "r"(row), "r"(batch), "r"(shared_address_of(&done))
      : "memory");
}

// Copies a box in shared memory to where it starts in the tensor; rows beyond the tensor's end are
// left out. A thread's copies since the last end_stores() are a group.
__device__ __forceinline__ void store_box(const CUtensorMap& to, int column, int row,
                                          const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
      "r"(column), "r"(row), "r"(shared_address_of(from))
      : "memory");
}
__device__ __forceinline__ void end_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until shared memory has been read by all of this thread's groups.
__device__ __forceinline__ void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

}  // namespace mgdm::ops::cuda
