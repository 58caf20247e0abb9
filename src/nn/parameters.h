// The one list of a model's tensors. Initialising, counting, moving, saving, loading and optimising
// all walk it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::nn {

// What an optimiser needs to know: Muon takes the blocks' matrices, AdamW the rest.
enum class Role { kMatrix, kOther };

struct Parameter {
  std::string name;
  at::Tensor value;  // requires grad
  Role role = Role::kOther;
};

// Standard deviation 0 is all zeros; ones are for norm weights.
struct Init {
  double std = 0;
  double constant = 0;
};

class Parameters {
 public:
  // Adds a tensor with values drawn from the stream (seed, kInit, its place in the list), so that a
  // model's start does not depend on the LibTorch version or the device. Without a seed nothing is
  // drawn.
  at::Tensor add(std::string name, at::IntArrayRef shape, Init init, Role role = Role::kOther);

  explicit Parameters(std::optional<std::uint64_t> seed) : seed_(seed) {}

  const std::vector<Parameter>& all() const { return list_; }
  std::int64_t count() const;  // of numbers

  // Moves every tensor in place: what the model holds moves along.
  void to(c10::Device device);

 private:
  std::optional<std::uint64_t> seed_;
  std::vector<Parameter> list_;
};

}  // namespace mgdm::nn
