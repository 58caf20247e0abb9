// The instructions that feed the matrix units, one function each.
//
// A matrix product here is made of pieces D (16, 8) += A (16, 16) B (16, 8), a warp each: bf16
// products added up in fp32. The 32 lanes share A, B and D in a fixed way ("fragments"):
//
//   D, four floats:       D[l/4][2(l%4) + 0, 1]  and the same columns of row l/4 + 8
//   A, four bf16 pairs:   A[l/4][2(l%4) + 0, 1], row l/4 + 8, columns + 8, both
//   B, two bf16 pairs:    B[2(l%4) + 0, 1][l/4], rows + 8                    (l = lane)
//
// load_blocks reads four blocks (8, 8) of bf16 numbers from shared memory into that form: lane l
// points to row l % 8 of block l / 8, and gets row l / 4, columns 2(l%4) + 0, 1 of each block, or
// with `kTransposed` of the transposed blocks. Addresses are those of shared memory, in bytes, so
// that a constant distance becomes part of the instruction.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace mgdm::ops::cuda {

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

template <bool kTransposed = false>
__device__ __forceinline__ uint4 load_blocks(unsigned row) {
  uint4 r;
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                 : "r"(row));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                 : "r"(row));
  }
  return r;
}

// Two blocks, which lanes 0 to 15 point to.
__device__ __forceinline__ uint2 load_two_blocks_transposed(unsigned row) {
  uint2 r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r.x), "=r"(r.y)
               : "r"(row));
  return r;
}

// d += a b.
__device__ __forceinline__ void multiply_add(float (&d)[4], uint4 a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// Starts copying 16 bytes from device to shared memory, or zeros where `inside` is false.
__device__ __forceinline__ void start_copy(void* to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(inside ? 16 : 0)
               : "memory");
}

// Ends a group of copies that this thread started; waits for all groups but the last.
__device__ __forceinline__ void end_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
__device__ __forceinline__ void finish_copies_but_last() {
  asm volatile("cp.async.wait_group 1;" ::: "memory");
}

// Waits for all copies that this thread started.
__device__ __forceinline__ void finish_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

__device__ __forceinline__ unsigned bf16_pair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const unsigned&>(pair);
}

}  // namespace mgdm::ops::cuda
