// Numbers in device memory that come with the number of their turn, in one word of 8 bytes: who
// reads them sees by themselves whether they are there, and nobody need wait for a barrier that
// says so.
#pragma once

#include <cstdint>

#include "ops/cuda/patience.cuh"

namespace mgdm::ops::cuda::clusters {

using WordOfTurn = std::uint64_t;  // the turn above 32 bits of numbers; turns count from 1

__device__ __forceinline__ unsigned turn_of(WordOfTurn word) {
  return static_cast<unsigned>(word >> 32);
}
__device__ __forceinline__ std::uint32_t bits_of(WordOfTurn word) {
  return static_cast<std::uint32_t>(word);
}

__device__ __forceinline__ void tell(WordOfTurn* to, std::uint32_t bits, unsigned turn) {
  const WordOfTurn word = static_cast<WordOfTurn>(turn) << 32 | bits;
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

// Reads the current word, of whichever turn ...
__device__ __forceinline__ WordOfTurn seen_at(const WordOfTurn* from) {
  WordOfTurn word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
// ... and the bits of this turn, where `seen` may be of an earlier one.
__device__ __forceinline__ std::uint32_t await_bits(const WordOfTurn* from, WordOfTurn seen,
                                                    unsigned turn) {
  for (Patience patience; turn_of(seen) != turn; patience.wait_on()) seen = seen_at(from);
  return bits_of(seen);
}

// Eight bf16 numbers, side by side in four words.
class ToldPiece {
 public:
  // Looks at what is there now; where `from` is null, zeros are.
  explicit __device__ ToldPiece(const WordOfTurn* from) : from_(from) {
    if (from_ != nullptr) look();
  }

  // Waits for the numbers of this turn.
  __device__ uint4 await(unsigned turn) {
    if (from_ == nullptr) return {};
    for (Patience patience; !is_of(turn); patience.wait_on()) look();
    return {bits_of(word_[0]), bits_of(word_[1]), bits_of(word_[2]), bits_of(word_[3])};
  }

 private:
  __device__ bool is_of(unsigned turn) const {
    return turn_of(word_[0]) == turn && turn_of(word_[1]) == turn && turn_of(word_[2]) == turn &&
           turn_of(word_[3]) == turn;
  }
  // Each word is whole; two of them need not be of the same turn.
  __device__ void look() {
#pragma unroll
    for (int i = 0; i < 4; i += 2)
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(word_[i]), "=l"(word_[i + 1])
                   : "l"(from_ + i)
                   : "memory");
  }

  const WordOfTurn* const from_;
  WordOfTurn word_[4];
};

}  // namespace mgdm::ops::cuda::clusters
