#include "ops/our_kernels.h"

namespace mgdm::ops {
namespace {

thread_local bool are_ours = true;

}  // namespace

WithoutOurKernels::WithoutOurKernels(bool without) : before_(are_ours) {
  if (without) are_ours = false;
}

WithoutOurKernels::~WithoutOurKernels() { are_ours = before_; }

bool with_our_kernels() { return are_ours; }

}  // namespace mgdm::ops
