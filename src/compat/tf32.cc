#include "compat/tf32.h"

#include <ATen/Context.h>

namespace mgdm::compat {

Tf32Products::Tf32Products(bool enabled) : before_(at::globalContext().allowTF32CuBLAS()) {
  at::globalContext().setAllowTF32CuBLAS(before_ || enabled);
}

Tf32Products::~Tf32Products() { at::globalContext().setAllowTF32CuBLAS(before_); }

}  // namespace mgdm::compat
