#include "model_files/merge_lora.h"

#include "base/error.h"

namespace mgdm::model_files {

void merge_lora(std::span<float> w, std::span<const float> a, std::span<const float> b,
                std::size_t rank, float scale) {
  const std::size_t in = a.size() / rank, out = b.size() / rank;
  MGDM_CHECK(w.size() == out * in);
  for (std::size_t row = 0; row < out; ++row)
    for (std::size_t r = 0; r < rank; ++r) {
      const float factor = scale * b[row * rank + r];
      float* const to = w.data() + row * in;
      const float* const from = a.data() + r * in;
      for (std::size_t column = 0; column < in; ++column) to[column] += factor * from[column];
    }
}

}  // namespace mgdm::model_files
