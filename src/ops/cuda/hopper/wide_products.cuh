// A warpgroup's products of two matrices that both lie column by column in shared memory, as dY and
// X of dW = dY^T X do: a is 16 x 64, b 16 x 192 or 16 x 256. Lanes have of c what multiply_64x128()
// says.
#pragma once

#include "ops/cuda/hopper/warpgroup.cuh"

namespace mgdm::ops::cuda {

#define MGDM_EIGHT_SUMS(i)                                                                    \
  "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), \
      "+f"(c[i + 6]), "+f"(c[i + 7])

// c (64 x 192) = a^T b, both given by their columns, or added to c.
__device__ __forceinline__ void multiply_columns(float (&c)[96], std::uint64_t a, std::uint64_t b,
                                                 bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %98, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
      "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
      "%87, %88, %89, %90, %91, %92, %93, %94, %95"
      "}, %96, %97, add, 1, 1, 1, 1;\n}"
      : MGDM_EIGHT_SUMS(0), MGDM_EIGHT_SUMS(8), MGDM_EIGHT_SUMS(16), MGDM_EIGHT_SUMS(24),
        MGDM_EIGHT_SUMS(32), MGDM_EIGHT_SUMS(40), MGDM_EIGHT_SUMS(48), MGDM_EIGHT_SUMS(56),
        MGDM_EIGHT_SUMS(64), MGDM_EIGHT_SUMS(72), MGDM_EIGHT_SUMS(80), MGDM_EIGHT_SUMS(88)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// c (64 x 256) = a^T b, both given by their columns, or added to c.
__device__ __forceinline__ void multiply_columns(float (&c)[128], std::uint64_t a, std::uint64_t b,
                                                 bool add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
      "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
      "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, "
      "%104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, "
      "%118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, add, 1, 1, 1, 1;\n}"
      : MGDM_EIGHT_SUMS(0), MGDM_EIGHT_SUMS(8), MGDM_EIGHT_SUMS(16), MGDM_EIGHT_SUMS(24),
        MGDM_EIGHT_SUMS(32), MGDM_EIGHT_SUMS(40), MGDM_EIGHT_SUMS(48), MGDM_EIGHT_SUMS(56),
        MGDM_EIGHT_SUMS(64), MGDM_EIGHT_SUMS(72), MGDM_EIGHT_SUMS(80), MGDM_EIGHT_SUMS(88),
        MGDM_EIGHT_SUMS(96), MGDM_EIGHT_SUMS(104), MGDM_EIGHT_SUMS(112), MGDM_EIGHT_SUMS(120)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

#undef MGDM_EIGHT_SUMS

}  // namespace mgdm::ops::cuda
