// Divides one block of device memory into several.
#pragma once

#include <cstddef>

namespace mgdm::ops::cuda {

// Allocates pieces one after another, aligned for any type; with null it only counts their bytes.
class Pieces {
 public:
  explicit Pieces(void* memory) : begin_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(std::size_t count) {
    char* const piece = begin_ + bytes_;
    bytes_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* begin_;
  std::size_t bytes_ = 0;
};

}  // namespace mgdm::ops::cuda
