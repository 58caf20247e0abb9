// Queries, keys and values of a network's first attention, of all that can stand at a position.
//
// Before it the stream is the embedding of a token and that of its position, and in some networks
// one of whether the position is frozen. While the weights stay, who goes through the network often
// with few rows looks these up.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ops/transformer.h"

namespace mgdm::ops {

// (N K V, 3C) bf16, rounded as kernels round that compute them again: V tokens at each of the first
// N positions. K is 2 where there is an embedding of what is frozen, and then those of a position
// that is not come first; else it is 1.
at::Tensor first_qkv(const Transformer& network, std::int64_t length);
std::int64_t first_qkv_rows(const Transformer& network, std::int64_t length);  // N K V

// The last one, for as long as it can be used.
class FirstQkv {
 public:
  // Of `length` positions or more. Made again for more positions than before, and when the weights
  // are others: other tensors, or other versions of them. Our optimisers and replayed graphs change
  // tensors without a new version, so it is for weights that are not being trained; those with
  // matrices in bf16, which answers are for, never are.
  at::Tensor of(const Transformer& network, std::int64_t length);

 private:
  // A tensor that it was made of, or none. What this holds is not given to another tensor.
  struct Source {
    explicit Source(const at::Tensor& tensor);
    bool is(const at::Tensor& tensor) const;

    at::Tensor held;
    std::int64_t version;
  };

  std::vector<Source> sources_;
  double eps_ = 0;
  std::int64_t length_ = 0;
  at::Tensor table_;
};

}  // namespace mgdm::ops
