// The operations of a build without Highway: none takes anything, and LibTorch's are taken.
#ifndef MGDM_HAVE_VECTORS

#include "base/error.h"
#include "ops/cpu/functions.h"

namespace mgdm::ops::cpu {
namespace {

[[noreturn]] void missing() {
  check_failed("a loop on the CPU in a build without Highway", __FILE__, __LINE__);
}

}  // namespace

bool takes(const at::Tensor&) { return false; }
at::Tensor gelu(const at::Tensor&) { missing(); }
at::Tensor dropout(const at::Tensor&, double) { missing(); }
bool linear_takes(const at::Tensor&, const at::Tensor&) { return false; }
at::Tensor linear(const at::Tensor&, const at::Tensor&, const at::Tensor&) { missing(); }
at::Tensor attention(const at::Tensor&, const at::Tensor&, const at::Tensor&, bool, double,
                     double) {
  missing();
}

}  // namespace mgdm::ops::cpu

#endif
