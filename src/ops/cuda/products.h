// Products of bf16 matrices by cuBLASLt. The kernel that cuBLASLt picks is often a tenth slower
// than its best one, so the first product of a shape times several.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

// out (M, N) = a b, or a b + onto, or a b + bias, or gelu(a b + bias), or a b gelu'(x); sums in
// float. Everything is contiguous and aligned to 16 bytes, and bf16 unless told otherwise. Of a
// batch all matrices lie one after the other, and nothing follows. a b and onto may have factors.
struct Product {
  const void* a;  // (M, K), or with a_transposed (K, M)
  const void* b;  // (K, N), or with b_transposed (N, K)
  void* out;
  std::int64_t rows, columns, depth;  // M, N, K
  std::int64_t batch = 1;
  bool a_transposed = false, b_transposed = false;
  const void* bias = nullptr;      // (N) bf16
  bool gelu = false;               // only with a bias
  void* sum = nullptr;             // with gelu, where a b + bias is wanted too: (M, N)
  const void* slope_at = nullptr;  // x: (M, N) bf16; without a bias
  bool out_is_float = false;       // out and onto are float instead of bf16
  float scale = 1;                 // of a b
  const void* onto = nullptr;  // (M, N) of out's type, and perhaps out itself; nothing follows then
  float onto_scale = 1;
};

inline double product_flop(const Product& p) {
  return 2 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(p.depth * p.batch);
}

constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;  // bytes

inline bool adds_to_itself(const Product& p) { return p.onto != nullptr && p.onto == p.out; }

// Bytes. One that adds to itself is timed with its sums written behind the library's workspace,
// because each turn would add to `out` once more.
inline std::size_t product_workspace(const Product& p) {
  const auto sums = static_cast<std::size_t>(p.batch * p.rows * p.columns) * sizeof(float);
  return kProductWorkspace + (adds_to_itself(p) ? sums : 0);
}

// `workspace` has product_workspace() bytes, aligned to 16. Without `tune`, or while a graph is
// recorded, a shape that was never timed is computed by cuBLASLt's own choice: two runs that time
// may sum in different orders.
void launch_product(const Product& product, void* workspace, bool tune, cudaStream_t stream);

// Whether work on the stream goes into a graph.
bool is_recording(cudaStream_t stream);

}  // namespace mgdm::ops::cuda
