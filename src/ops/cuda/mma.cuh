// The tensor-core instructions, one function each.
//
// A product of a 16 x 16 block A (m x k) and a 16 x 8 block B (k x n) is added to a 16 x 8 block C
// of floats. A warp holds the blocks spread over its lanes; with r = lane / 4 and c = lane % 4, a
// lane has of
//   A  rows r and r + 8, columns 2c, 2c + 1, 2c + 8, 2c + 9:   four registers of two bf16:
//      (r, 2c..), (r + 8, 2c..), (r, 2c + 8..), (r + 8, 2c + 8..)
//   B  rows 2c, 2c + 1 and 2c + 8, 2c + 9 of column r:         two registers
//   C  columns 2c, 2c + 1 of rows r and r + 8:                 (r, 2c), (r, 2c + 1), (r + 8, 2c),
//   ..
// Two C blocks side by side, rounded to bf16, are thus an A block: nothing moves between lanes.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace mgdm::ops::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// c += a b.
__device__ __forceinline__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// c = a b + start.
__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4],
                                         std::uint32_t b0, std::uint32_t b1, float4 start) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(start.x), "f"(start.y),
        "f"(start.z), "f"(start.w));
}

// A 16 x 16 block of shared memory, read as four 8 x 8 squares. Lane l names the row l % 8 of
// square l / 8; in what order the squares are wanted depends on the use, see Lanes.
__device__ __forceinline__ void load_block(std::uint32_t (&f)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
               : "r"(address)
               : "memory");
}

// Reads the first 8 rows of such a block as two squares: a B block stored n x k. Lanes from 16 on
// name no row.
__device__ __forceinline__ void load_half_block(std::uint32_t (&f)[2], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(f[0]), "=r"(f[1])
               : "r"(address)
               : "memory");
}

// Loads the block with every square transposed.
__device__ __forceinline__ void load_block_transposed(std::uint32_t (&f)[4],
                                                      std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
               : "r"(address)
               : "memory");
}

// Where a lane points in a block stored with `stride` bytes per row.
//   down    squares in the order (0,0), (8,0), (0,8), (8,8): an A block stored m x k;
//           transposed: a pair of B blocks (n = 16) stored k x n, as b0, b1 of the first, then of
//           the second
//   across  squares in the order (0,0), (0,8), (8,0), (8,8): a pair of B blocks stored n x k;
//           transposed: an A block stored k x m
__device__ __forceinline__ std::uint32_t down(int lane, int stride) {
  return (lane % 16) * stride + lane / 16 * 16;
}
__device__ __forceinline__ std::uint32_t across(int lane, int stride) {
  return (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 16;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// The reverse of load_block: every lane gives the address of a row.
__device__ __forceinline__ void store_squares(const std::uint32_t (&f)[4], std::uint32_t address) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3])
               : "memory");
}
#endif

// 4 bytes of shared memory.
__device__ __forceinline__ void store_pair(std::uint32_t address, std::uint32_t bits) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(bits) : "memory");
}

// Writes an A block, or two C blocks side by side, to where its first number shall lie.
__device__ __forceinline__ void store_block(const std::uint32_t (&f)[4], std::uint32_t corner,
                                            int lane, int stride) {
#if __CUDA_ARCH__ >= 900
  store_squares(f, corner + down(lane, stride));
#else
  const std::uint32_t at = corner + lane / 4 * stride + lane % 4 * 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) store_pair(at + i % 2 * 8 * stride + i / 2 * 16, f[i]);
#endif
}

// Two floats as bf16, the first in the low half.
__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const std::uint32_t&>(pair);
}

__device__ __forceinline__ float2 unpack(std::uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u)};
}

// 2^x to 2 units of the last place, 0 for -infinity.
__device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// 8 bytes to device memory, in one instruction.
__device__ __forceinline__ void store8(void* to, std::uint32_t low, std::uint32_t high) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(low), "r"(high) : "memory");
}

// 16 bytes to shared memory behind the program's back; zeros where !inside.
__device__ __forceinline__ void copy_async(std::uint32_t to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(inside ? 16 : 0)
               : "memory");
}
// Waits for this thread's copies.
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace mgdm::ops::cuda
