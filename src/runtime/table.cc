#include "runtime/table.h"

#include <algorithm>

#include "formats/dtype.h"

namespace mgdm::runtime {

Table::Table(std::span<const float> numbers, std::size_t width, Arithmetic arithmetic)
    : width_(width) {
  if (arithmetic == Arithmetic::kFp32) {
    floats_ = Array<float>(numbers.size());
    std::ranges::copy(numbers, floats_.data());
  } else {
    narrow_ = Array<std::uint16_t>(numbers.size());
    std::ranges::transform(numbers, narrow_.data(), formats::bf16_of);
  }
}

void Table::add_row(std::size_t i, float* x) const {
  for (std::size_t c = 0; c < width_; ++c)
    x[c] +=
        narrow_.empty() ? floats_[i * width_ + c] : formats::float_of_bf16(narrow_[i * width_ + c]);
}

}  // namespace mgdm::runtime
