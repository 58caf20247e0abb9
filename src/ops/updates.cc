#include "ops/updates.h"

#include "ops/cuda/functions.h"

namespace mgdm::ops {

std::optional<at::Tensor> clip(const std::vector<at::Tensor>& gradients, double max_norm) {
  if (!cuda::updates_take(gradients)) return std::nullopt;
  return cuda::clip(gradients, max_norm);
}

bool adamw(const AdamwUpdate& update) {
  if (!cuda::updates_take(update.values) || !cuda::updates_take(update.gradients)) return false;
  cuda::adamw(update);
  return true;
}

bool muon_momentum(const MuonMomentum& update) {
  if (!cuda::updates_take(update.gradients) || !cuda::updates_take(update.momenta)) return false;
  cuda::muon_momentum(update);
  return true;
}

void muon_update(const MuonUpdate& update) { cuda::muon_update(update); }

}  // namespace mgdm::ops
