#include "compat/out_of_memory.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace mgdm::compat {

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error) != nullptr) return false;  // it has been said already
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
      dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr)
    return true;
  // The CPU's allocator and CUDA's libraries have no type of their own for it.
  const std::string_view words = error.what();
  for (const char* sign : {"can't allocate memory", "out of memory", "ALLOC_FAILED"})
    if (words.find(sign) != std::string_view::npos) return true;
  return false;
}

}  // namespace mgdm::compat
