// The training loss: the [objective] section of a recipe.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace mgdm::spec {

struct ObjectiveSettings {
  std::string kind = "mgdm";
  std::int64_t steps = 20;  // T
  double full_mask = 0;
  std::string sequence_weight = "linear";
  bool reweight_tokens = true;
  double alpha = 0.25;
  double beta = 1;
  bool train_shown = false;
  double shown_noise = 0;
  double label_smoothing = 0;
  bool coupled = false;
  double self_condition = 0;
  std::string loop_weights = "linear";
  std::int64_t vocabulary = 31;  // V; not a setting of its own: the data's
  std::int64_t pad = 0;          // the id of [PAD]; the same

  void visit(config::Visitor& v);
};

// Applies what the kind fixes by definition. UsageError when the settings do not fit together.
ObjectiveSettings resolved(const ObjectiveSettings& asked);

}  // namespace mgdm::spec
