// The optimiser's updates of all tensors of a model, in a few kernels for any number of tensors.
// The kernels take contiguous fp32 tensors on CUDA; for other tensors a function returns false and
// does nothing. No function waits for the device, and all can be recorded in a CUDA graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace mgdm::ops {

// What clip_gradients() promises (training/optimizer.h): the norm, a () tensor.
std::optional<at::Tensor> clip(const std::vector<at::Tensor>& gradients, double max_norm);

// A step of training/adamw.h; matrices decay. Of `values`, `means`, `squares` and `count`, a ()
// float, the numbers change; `factor`, a () float, is one of the learning rate.
struct AdamwUpdate {
  std::vector<at::Tensor> values{}, gradients{}, means{}, squares{};
  at::Tensor count{}, factor{};
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};
bool adamw(const AdamwUpdate& update);

// The first half of a step of training/muon.h: moves `momenta` and writes what is to be turned, of
// Frobenius norm 1, to `turned` (bf16). An undefined gradient is 0.
struct MuonMomentum {
  std::vector<at::Tensor> gradients{}, momenta{}, turned{};
  double momentum = 0;
};
bool muon_momentum(const MuonMomentum& update);

// The second half, after the first: values (R, C) decay and go against `turned` (bf16).
struct MuonUpdate {
  std::vector<at::Tensor> values{}, turned{};
  at::Tensor factor{};
  double lr = 0, weight_decay = 0;
};
void muon_update(const MuonUpdate& update);

}  // namespace mgdm::ops
