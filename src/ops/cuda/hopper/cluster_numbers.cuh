// Numbers in device memory that come with the number of their turn, in one word of 8 bytes: who
// reads them sees by themselves whether they are there, and nobody need wait for a barrier that
// says so.
#pragma once

#include <cstdint>

#include "ops/cuda/patience.cuh"

namespace mgdm::ops::cuda::clusters {

using NumberOfTurn = std::uint64_t;  // the turn above the bits of a float; turns count from 1

__device__ __forceinline__ void tell(NumberOfTurn* to, float number, unsigned turn) {
  const NumberOfTurn word = static_cast<NumberOfTurn>(turn) << 32 | __float_as_uint(number);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

// What is there now, of whichever turn ...
__device__ __forceinline__ NumberOfTurn seen_at(const NumberOfTurn* from) {
  NumberOfTurn word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
// ... and the number of this turn, where `seen` may be of an earlier one.
__device__ __forceinline__ float await_number(const NumberOfTurn* from, NumberOfTurn seen,
                                              unsigned turn) {
  for (Patience patience; static_cast<unsigned>(seen >> 32) != turn; patience.wait_on())
    seen = seen_at(from);
  return __uint_as_float(static_cast<unsigned>(seen));
}

}  // namespace mgdm::ops::cuda::clusters
