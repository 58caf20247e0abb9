// Dropout, addition of a branch to a residual stream and norm of the sum, in one pass over memory
// if there is a kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace mgdm::ops {

// A layer norm; without weight and bias an RMS norm.
struct Norm {
  at::Tensor weight, bias;
  double eps = 0;
};

// A branch to add to a stream: the value, plus a bias if given. Undefined: nothing.
struct Branch {
  at::Tensor value{}, bias{};
  bool is_stream = false;  // the value is the stream itself, with the branch added to it
};

struct ResidualNorm {
  at::Tensor y;      // x + dropout(branch)
  at::Tensor n;      // its norm; bf16 where the kernel made it
  at::Tensor again;  // n for a second reader: the gradients of both meet in the same pass
};

// Each number is 0 with probability `dropped`, and divided by 1 - dropped otherwise.
at::Tensor dropout(const at::Tensor& x, double dropped);

// A short stream has numbers of bf16.
//
// x as the beginning of so many streams with RMS norms: short where there is a kernel and a
// gradient will be asked for, since training waits for memory; else as it is. Sums and norms are
// computed in fp32 all the same, each y is rounded once, and so are the streams' gradients, whose
// sum for x is in fp32.
std::vector<at::Tensor> short_streams(const at::Tensor& x, std::int64_t count);

// x (..., C) and a branch of its shape: the stream y after it. Without a branch y is x.
at::Tensor residual(const at::Tensor& x, const Branch& branch, double dropped);

// As above, with the norm of y. `may_overwrite_x`: y may be written over x; only without gradients
// and other readers of x.
ResidualNorm residual_norm(const at::Tensor& x, const Branch& branch, const Norm& norm,
                           double dropped, bool may_overwrite_x = false);

// As above for some rows of x, by their numbers (W); the branch, y and n are (W, C).
ResidualNorm residual_norm_of(const at::Tensor& x, const at::Tensor& picked, const Branch& branch,
                              const Norm& norm, double dropped);

}  // namespace mgdm::ops
