#include "compat/deterministic.h"

#include <ATen/Context.h>
#include <torch/version.h>

#include <cstdlib>

namespace mgdm::compat {

Tf32Products::Tf32Products(bool enabled) : before_(at::globalContext().allowTF32CuBLAS()) {
  at::globalContext().setAllowTF32CuBLAS(before_ || enabled);
}

Tf32Products::~Tf32Products() { at::globalContext().setAllowTF32CuBLAS(before_); }

void prepare_deterministic_cuda() {
  // One of the two values that cuBLAS documents as reproducible, the faster one.
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
}

Deterministic::Deterministic(bool enabled) : enabled_(enabled) {
  if (!enabled_) return;
  at::Context& context = at::globalContext();
  // Not "warn only": fused attention takes that as leave to stay as it is.
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setDeterministicCuDNN(true);
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
  context.setDeterministicFillUninitializedMemory(
      false);  // ours is always written before it is read
#endif
}

Deterministic::~Deterministic() {
  if (!enabled_) return;
  at::globalContext().setDeterministicAlgorithms(false, /*warn_only=*/false);
  at::globalContext().setDeterministicCuDNN(false);
}

}  // namespace mgdm::compat
