#include "ops/fp8.h"

namespace mgdm::ops {
namespace {

thread_local bool are_fp8 = false;

}  // namespace

WithFp8Products::WithFp8Products(bool with) : before_(are_fp8) {
  if (with) are_fp8 = true;
}

WithFp8Products::~WithFp8Products() { are_fp8 = before_; }

bool with_fp8_products() { return are_fp8; }

}  // namespace mgdm::ops
