// The generator of Python's `random` module, draw for draw, to regenerate data that a Python
// program made from a seed. Everything else draws from base/random.h.
//
//   PythonRandom random(4);         // random.seed(4)
//   random.randint(1, 99);
//
// CPython 3.2 to 3.13: the Mersenne Twister MT19937 (Matsumoto, Nishimura 1998), seeded by an array
// of 32-bit words; whole numbers are drawn from as many bits as the bound has, until below it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mgdm {

class PythonRandom {
 public:
  // random.seed(seed)
  explicit PythonRandom(std::uint64_t seed);

  // random.getrandbits(bits), for 1 to 32 bits.
  std::uint32_t getrandbits(int bits) { return next() >> (32 - bits); }

  // Uniform over 0..n-1: what every function below draws by. Python calls it _randbelow. n >= 1.
  std::uint32_t below(std::uint32_t n) {
    const auto bits = static_cast<int>(std::bit_width(n));
    std::uint32_t drawn = getrandbits(bits);
    while (drawn >= n) drawn = getrandbits(bits);
    return drawn;
  }

  // random.randint(low, high): both included. Draws even where there is only one choice.
  int randint(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low) + 1));
  }

  // random.choice(values)
  template <class T>
  const T& choice(std::span<const T> values) {
    return values[below(static_cast<std::uint32_t>(values.size()))];
  }

  // random.shuffle(values)
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  static constexpr std::size_t kWords = 624;

  std::uint32_t next() {
    if (used_ == kWords) refill();
    std::uint32_t word = words_[used_++];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
  }
  void refill();

  std::array<std::uint32_t, kWords> words_{};
  std::size_t used_ = kWords;
};

// Python's heapq, move for move: which of several equal elements comes first is decided by how they
// were sifted, so a search that breaks ties by its heap can be repeated exactly.
//
// Beside std::push_heap: Python's pop lets the hole sink to a leaf along the smaller children (the
// right one where both are equal) and only then lets the last element rise from there.

// Elements need only <.
template <class T>
class PythonHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }

  // heapq.heappush
  void push(T element) {
    heap_.push_back(std::move(element));
    rise(heap_.size() - 1);
  }

  // heapq.heappop; there must be one.
  T pop() {
    T last = std::move(heap_.back());
    heap_.pop_back();
    if (heap_.empty()) return last;
    T first = std::exchange(heap_.front(), std::move(last));
    rise(sink_to_leaf());
    return first;
  }

 private:
  void rise(std::size_t place) {
    T element = std::move(heap_[place]);
    while (place > 0) {
      const std::size_t parent = (place - 1) / 2;
      if (!(element < heap_[parent])) break;
      heap_[place] = std::move(heap_[parent]);
      place = parent;
    }
    heap_[place] = std::move(element);
  }

  // Moves the front element to a leaf; returns where it is.
  std::size_t sink_to_leaf() {
    T element = std::move(heap_.front());
    std::size_t place = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * place + 1) {
      if (child + 1 < heap_.size() && !(heap_[child] < heap_[child + 1])) ++child;
      heap_[place] = std::move(heap_[child]);
      place = child;
    }
    heap_[place] = std::move(element);
    return place;
  }

  std::vector<T> heap_;
};

}  // namespace mgdm
