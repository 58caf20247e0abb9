#ifdef MGDM_CUDA

#include "ops/cuda/products.h"

#include <cublasLt.h>

#include <array>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>

namespace mgdm::ops::cuda {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLASLt: ") + cublasLtGetStatusString(status));
}
void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// cuBLASLt stores columns first, so it is told out^T = b^T a^T.
class Plan {
 public:
  explicit Plan(const Product& p) {
    check(cublasLtMatmulDescCreate(&what_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t first = p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second = p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(CUBLASLT_MATMUL_DESC_TRANSA, first);
    set(CUBLASLT_MATMUL_DESC_TRANSB, second);
    if (p.bias != nullptr)
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, p.sum != nullptr ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                                         : p.gelu         ? CUBLASLT_EPILOGUE_GELU_BIAS
                                                          : CUBLASLT_EPILOGUE_BIAS);
    if (p.slope_at != nullptr) set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DGELU);
    if (p.sum != nullptr || p.slope_at != nullptr)
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.columns);
    point_to(p);
    const auto rows_first = [&](cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
      cublasLtMatrixLayout_t layout = nullptr;
      check(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(columns),
                                       static_cast<std::uint64_t>(rows), columns));
      return layout;
    };
    b_ = p.b_transposed ? rows_first(CUDA_R_16BF, p.columns, p.depth)
                        : rows_first(CUDA_R_16BF, p.depth, p.columns);
    a_ = p.a_transposed ? rows_first(CUDA_R_16BF, p.depth, p.rows)
                        : rows_first(CUDA_R_16BF, p.rows, p.depth);
    out_ = rows_first(p.out_is_float ? CUDA_R_32F : CUDA_R_16BF, p.rows, p.columns);
    find_way();
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void run(const Product& p, void* workspace, cudaStream_t stream) const {
    const float one = 1, of_onto = p.onto != nullptr ? 1 : 0;
    const void* const onto = p.onto != nullptr ? p.onto : p.out;
    point_to(p);
    check(cublasLtMatmul(handle(), what_, &one, p.b, b_, p.a, a_, &of_onto, onto, out_, p.out, out_,
                         &way_.algo, workspace, kProductWorkspace, stream));
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t which, const T& value) const {
    check(cublasLtMatmulDescSetAttribute(what_, which, &value, sizeof(T)));
  }

  // What may lie elsewhere every time.
  void point_to(const Product& p) const {
    if (p.bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
    if (p.sum != nullptr) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.sum);
    if (p.slope_at != nullptr) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.slope_at);
  }

  static cublasLtHandle_t handle() {
    static std::map<int, cublasLtHandle_t> handles;  // of devices
    int device = 0;
    check(cudaGetDevice(&device));
    cublasLtHandle_t& found = handles[device];
    if (found == nullptr) check(cublasLtCreate(&found));
    return found;
  }

  void find_way() {
    cublasLtMatmulPreference_t wanted = nullptr;
    check(cublasLtMatmulPreferenceCreate(&wanted));
    const auto want = [&](cublasLtMatmulPreferenceAttributes_t which, const auto& value) {
      check(cublasLtMatmulPreferenceSetAttribute(wanted, which, &value, sizeof value));
    };
    want(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kProductWorkspace);
    // Parts of a sum are added up in float, and in a fixed order.
    want(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    for (const auto which :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      want(which, std::uint32_t{16});
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle(), what_, b_, a_, out_, out_, wanted, 1, &way_,
                                         &count));
    cublasLtMatmulPreferenceDestroy(wanted);
    if (count == 0) check(CUBLAS_STATUS_NOT_SUPPORTED);
  }

  cublasLtMatmulDesc_t what_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, out_ = nullptr;
  cublasLtMatmulHeuristicResult_t way_{};
};

}  // namespace

void launch_product(const Product& p, void* workspace, cudaStream_t stream) {
  const bool alone = p.bias == nullptr && !p.gelu && p.sum == nullptr && p.slope_at == nullptr;
  if (p.onto != nullptr && !alone)
    throw std::invalid_argument("nothing follows a product that adds");
  if (p.rows == 0 || p.columns == 0) return;
  static std::mutex mutex;
  // By device, sizes, and what else makes a difference.
  using Sizes = std::array<std::int64_t, 3>;
  static std::map<std::tuple<int, Sizes, unsigned>, Plan> plans;
  const std::lock_guard lock(mutex);
  int device = 0;
  check(cudaGetDevice(&device));
  const unsigned form = (p.a_transposed ? 1u : 0u) | (p.b_transposed ? 2u : 0u) |
                        (p.bias != nullptr ? 4u : 0u) | (p.gelu ? 8u : 0u) |
                        (p.sum != nullptr ? 16u : 0u) | (p.out_is_float ? 32u : 0u) |
                        (p.slope_at != nullptr ? 64u : 0u) | (p.onto != nullptr ? 128u : 0u);
  plans.try_emplace({device, Sizes{p.rows, p.columns, p.depth}, form}, p)
      .first->second.run(p, workspace, stream);
}

}  // namespace mgdm::ops::cuda

#endif
