#include "runtime/keys_and_values.h"

#include <algorithm>

namespace mgdm::runtime {

KeysAndValues::KeysAndValues(std::size_t heads, std::size_t head_size, std::size_t most_positions)
    : heads_(heads),
      size_(head_size),
      most_(most_positions),
      wide_(panel_columns()),
      value_panels_((head_size + wide_ - 1) / wide_),
      keys_((most_ + wide_ - 1) / wide_ * wide_ * heads * head_size),
      values_(heads * value_panels_ * most_ * wide_) {}

void KeysAndValues::set(std::size_t position, const float* keys, const float* values) {
  const std::size_t width = heads_ * size_;
  float* const column = keys_.data() + position / wide_ * wide_ * width + position % wide_;
  for (std::size_t i = 0; i < width; ++i) column[i * wide_] = keys[i];
  for (std::size_t head = 0; head < heads_; ++head)
    for (std::size_t p = 0; p < value_panels_; ++p) {
      const float* const from = values + head * size_ + p * wide_;
      float* const to = values_.data() + ((head * value_panels_ + p) * most_ + position) * wide_;
      std::copy(from, from + std::min(wide_, size_ - p * wide_), to);
    }
}

Panels KeysAndValues::keys(std::size_t head, std::size_t count) const {
  return {keys_.data() + head * size_ * wide_, heads_ * size_ * wide_, size_, count};
}

Panels KeysAndValues::values(std::size_t head, std::size_t count) const {
  return {values_.data() + head * value_panels_ * most_ * wide_, most_ * wide_, count, size_};
}

}  // namespace mgdm::runtime
