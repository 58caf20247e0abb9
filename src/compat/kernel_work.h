// Tells the profiler what one of our kernels moves and computes; whoever launches the kernel uses
// it:
//
//   const KernelWork work("attention, forward", bytes, flop);
//   launch_attention(...);
//
// All kernels launched while the object lives get the label, and the longest one counts as the one
// that did the work. Without a profiler it only checks a flag.
#pragma once

#include <ATen/record_function.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::compat {

struct Work {
  std::string label{};
  double bytes = 0;  // read from and written to memory, each once; 0: not known
  double flop = 0;   // of matrix products; 0: none, or not known
};

class KernelWork {
 public:
  explicit KernelWork(const char* label, double bytes = 0, double flop = 0);

 private:
  at::RecordFunction scope_{at::RecordScope::FUNCTION};
};

// Converts work to the name of an operation, which is all that a profiler keeps, and back.
std::string work_name(const Work& work);
std::optional<Work> work_of(std::string_view name);

// Whether an operation of LibTorch's own is a matrix product.
bool is_matrix_product(std::string_view name);

// The bytes that one of LibTorch's own operations moves, from its name and the shapes and types of
// its arguments: matrix products and copies. 0 for other operations.
double operation_bytes(std::string_view name, c10::ArrayRef<std::vector<std::int64_t>> shapes,
                       c10::ArrayRef<std::string> types);

}  // namespace mgdm::compat
