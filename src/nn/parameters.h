// A model's tensors: the list of spec/tensors.h with values. Counting, moving, saving, loading and
// the optimiser iterate over it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/tensors.h"

namespace mgdm::nn {

using spec::Init;
using spec::Role;

struct Parameter {
  std::string name;
  at::Tensor value;  // requires grad, unless it is frozen
  Role role = Role::kOther;
  bool frozen = false;  // training leaves it as it is
};

// The tensors that are drawn if there is a seed: all, or only the trained ones because the others
// are loaded next.
enum class Drawn { kAll, kTrained };

class Parameters {
 public:
  explicit Parameters(std::optional<std::uint64_t> seed) : seed_(seed) {}
  Parameters(const std::vector<spec::TensorSpec>& tensors, std::optional<std::uint64_t> seed,
             Drawn drawn = Drawn::kAll);

  // Adds a tensor with values drawn from the stream (seed, kInit, its place in the list), so that a
  // model's start does not depend on the LibTorch version or the device. Without a seed nothing is
  // drawn.
  at::Tensor add(std::string name, at::IntArrayRef shape, Init init, Role role = Role::kOther);
  at::Tensor add(const spec::TensorSpec& tensor, Drawn drawn = Drawn::kAll);

  // The parameter of that name, which must exist.
  const at::Tensor& at(std::string_view name) const;

  const std::vector<Parameter>& all() const { return list_; }
  std::vector<Parameter> trained() const;  // all but the frozen ones
  std::int64_t count() const;              // of numbers

  // Moves every tensor in place, so that the model's references stay valid.
  void to(c10::Device device);

  // Rounds the tensors of Role::kMatrix, in place.
  void keep_matrices_in_bf16();

 private:
  std::optional<std::uint64_t> seed_;
  std::vector<Parameter> list_;
};

}  // namespace mgdm::nn
