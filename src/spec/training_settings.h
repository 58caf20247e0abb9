// Length, batch, device and checkpoints of training: the [training] section of a recipe.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace mgdm::spec {

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
  bool recompute = false;
  bool cuda_graph = true;
  bool cuda_kernels = true;
  bool deterministic = false;
  std::int64_t log_every = 50;
  std::int64_t evaluate_every = 0;
  std::int64_t checkpoint_every = 0;
  double checkpoint_minutes = 10;
  std::int64_t keep = 2;
  double shard_mb = 0;
  bool compact_state = false;

  void visit(config::Visitor& v);
};

}  // namespace mgdm::spec
