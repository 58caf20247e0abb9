#include "spec/optimizer_settings.h"

#include "spec/kinds.h"

namespace mgdm::spec {

void OptimizerSettings::visit(config::Visitor& v) {
  using config::at_least;
  using config::one_of;
  using config::range;
  v.field("optimizer", optimizer, config::help_of(optimizer_kinds()),
          one_of(config::names_of(optimizer_kinds())));
  v.field("lr", lr, "learning rate of adamw", at_least(0));
  v.field("muon_lr", muon_lr, "learning rate of muon", at_least(0));
  v.field("momentum", momentum, "of muon (Nesterov)", range(0, 0.9999));
  v.field("beta1", beta1, "adamw: decay of the mean gradient", range(0, 0.999999));
  v.field("beta2", beta2, "adamw: decay of the mean squared gradient", range(0, 0.999999));
  v.field("eps", eps, "adamw: added to the root of the mean square", at_least(0));
  v.field("weight_decay", weight_decay, "decoupled, on matrices and embeddings", at_least(0));
  v.field("clip", clip, "largest norm of all gradients together; 0 is no limit", at_least(0));
  v.field("schedule", schedule, "learning rate over the run: " + config::help_of(schedule_kinds()),
          one_of(config::names_of(schedule_kinds())));
  v.field("warmup_steps", warmup_steps, "steps in which the learning rate rises", at_least(0));
  v.field("decay_share", decay_share, "linear: last fraction of the run, falling to 0",
          range(0, 1));
}

}  // namespace mgdm::spec
