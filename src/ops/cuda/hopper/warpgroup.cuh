// Hopper's products of a warpgroup (four warps), one function each. Only for sm_90a.
#pragma once

#include <cstdint>

#include "ops/cuda/tensor_copies.cuh"

namespace mgdm::ops::cuda {

// A matrix in shared memory whose rows are 128 bytes, in the order that copies swizzle them; it
// starts at a multiple of 1024 bytes, or some columns later.
__device__ __forceinline__ std::uint64_t rows_of_128_bytes(const void* start) {
  constexpr std::uint64_t kEightRows = 1024 >> 4, kSwizzled = 1;
  return (shared_address_of(start) & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | kEightRows << 32 |
         kSwizzled << 62;
}

// rows_of_128_bytes() for a matrix that is stored column by column: a row of 128 bytes is 64
// numbers of one column, and the next column, one step of the depth further, is below it. The next
// 64 numbers of the columns are `next` bytes further.
__device__ __forceinline__ std::uint64_t columns_of_128_bytes(const void* start, int next) {
  constexpr std::uint64_t kEightRows = 1024 >> 4, kSwizzled = 1;
  return (shared_address_of(start) & 0x3ffff) >> 4 | static_cast<std::uint64_t>(next >> 4) << 16 |
         kEightRows << 32 | kSwizzled << 62;
}

__device__ __forceinline__ void products_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void products_end_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until all but the newest kCount groups are done.
template <int kCount>
__device__ __forceinline__ void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kCount) : "memory");
}

// c (64 x 128) = a (64 x 16) b^T (128 x 16), added to c where `add`. Warp w of the group has rows
// 16 w .. of c; within them lanes have what mma.cuh says, 16 blocks of 8 columns side by side.
// kColumns: b is given by its columns.
template <bool kColumns>
__device__ __forceinline__ void multiply_64x128(float (&c)[64], std::uint64_t a, std::uint64_t b,
                                                bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, add, 1, 1, 0, %67;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
        "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
        "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]),
        "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
        "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]),
        "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]),
        "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]),
        "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]),
        "+f"(c[63])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)), "n"(static_cast<int>(kColumns)));
}

}  // namespace mgdm::ops::cuda
