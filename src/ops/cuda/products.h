// Products of bf16 matrices by cuBLASLt, in the way that it chooses for their sizes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

// out (M, N) = a b, or a b + onto, or a b + bias, or gelu(a b + bias), or a b gelu'(x); sums in
// float. Everything is contiguous and aligned to 16 bytes, and bf16 unless told otherwise.
struct Product {
  const void* a;  // (M, K), or with a_transposed (K, M)
  const void* b;  // (K, N), or with b_transposed (N, K)
  void* out;
  std::int64_t rows, columns, depth;  // M, N, K
  bool a_transposed = false, b_transposed = false;
  const void* bias = nullptr;      // (N) bf16
  bool gelu = false;               // only with a bias
  void* sum = nullptr;             // with gelu, where a b + bias is wanted too: (M, N)
  const void* slope_at = nullptr;  // x: (M, N) bf16; without a bias
  bool out_is_float = false;       // out and onto are float instead of bf16
  const void* onto = nullptr;  // (M, N) of out's type, and perhaps out itself; nothing follows then
};

inline double product_flop(const Product& p) {
  return 2 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(p.depth);
}

constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;  // bytes

// `workspace` has kProductWorkspace bytes, aligned to 16.
void launch_product(const Product& product, void* workspace, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
