// The optimiser and its learning rate: the [optimizer] section of a recipe.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace mgdm::spec {

struct OptimizerSettings {
  std::string optimizer = "adamw";
  double lr = 1e-3;
  double muon_lr = 0.02;
  double momentum = 0.95;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  double clip = 1;
  std::string schedule = "cosine";
  std::int64_t warmup_steps = 0;
  double decay_share = 0.6;

  void visit(config::Visitor& v);
};

}  // namespace mgdm::spec
