// An aligned array of numbers, zero at first, padded so that a whole vector may be read at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace mgdm::vectors {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : size_(size) {
    // calloc maps large blocks lazily: untouched pages cost nothing.
    memory_.reset(std::calloc(size * sizeof(T) + 2 * kAlignment, 1));
    if (!memory_) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    const std::size_t over = address % kAlignment;
    data_ = reinterpret_cast<T*>(static_cast<char*>(memory_.get()) + (kAlignment - over));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return memory_ ? size_ * sizeof(T) + 2 * kAlignment : 0; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  // Room for at least `size` numbers; growing loses the contents.
  void reserve(std::size_t size) {
    if (size > size_) *this = Array(size);
  }

 private:
  static constexpr std::size_t kAlignment = 64;  // bytes: a cache line, the longest vector
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::unique_ptr<void, Free> memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mgdm::vectors
