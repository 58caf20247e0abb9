// Length, batch, device and checkpoints of training: the [training] section of a recipe.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace mgdm::spec {

// The optimiser and its learning rate: the [optimizer] section of a recipe.
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

struct TrainingSettings {
  std::int64_t batch = 1024;
  std::int64_t accumulate = 1;
  double epochs = 0;
  std::int64_t steps = 0;
  double minutes = 0;
  std::string device = "auto";
  std::string precision = "bf16";
  double ema = 0;
  std::int64_t fewest_loops = 0;
  std::int64_t rounds = 1;
  double late_share = 0;
  std::int64_t late_rounds = 32;
  bool recompute = false;
  bool cuda_graph = true;
  bool cuda_kernels = true;
  bool deterministic = false;
  std::int64_t log_every = 0;
  std::int64_t evaluate_every = 0;
  std::int64_t checkpoint_every = 0;
  double checkpoint_minutes = 10;
  std::int64_t keep = 2;
  std::string best = "held_out_loss";
  std::int64_t patience = 0;
  double shard_mb = 0;
  bool compact_state = false;

  void visit(config::Visitor& v);
};

}  // namespace mgdm::spec
