#include "spec/training_settings.h"

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

using config::at_least;
using config::one_of;
using config::range;

void TrainingSettings::visit(config::Visitor& v) {
  v.field("batch", batch, "examples per step, over all processes", range(1, 1e6));
  v.field("accumulate", accumulate, "parts a batch is worked through in, to save memory",
          range(1, 4096));
  v.field("epochs", epochs, "length of training in passes over the data", at_least(0));
  v.field("steps", steps, "length of training in steps", at_least(0));
  v.field("minutes", minutes,
          "length of training in minutes; the last evaluation comes on top: evaluation.minutes",
          at_least(0));
  v.field("device", device, "auto, cpu, cuda or cuda:N");
  v.field("precision", precision, "of matrix products on CUDA; the CPU computes in fp32",
          one_of({"bf16", "fp32"}));
  v.field("ema", ema, "evaluate and save averaged weights of this decay: 0.999 (0 = the last ones)",
          range(0, 0.999999));
  v.field(
      "fewest_loops", fewest_loops,
      "looped models: every step draws its number of loops from this to model.loops (0 = always "
      "model.loops)",
      range(0, 256));
  v.field(
      "rounds", rounds,
      "looped models with model.loop_norm: every step runs its loops 1 to so many times in a row, "
      "and learns from the last of these rounds alone: deep, at a fraction of the cost",
      range(1, 64));
  v.field("recompute", recompute,
          "llama and looped: compute every block or loop again in the backward pass instead of "
          "keeping what it made: slower by a third, much less memory");
  v.field("cuda_graph", cuda_graph, "record the step once and replay it");
  v.field("cuda_kernels", cuda_kernels, "on a GPU: our kernels; false: LibTorch's");
  v.field("deterministic", deterministic,
          "CUDA: bit for bit the same, also after --resume; slower (the CPU always is)");
  v.field("log_every", log_every, "steps between two lines of metrics", range(1, 1e9));
  v.field("evaluate_every", evaluate_every, "steps between two evaluations (0 = only the last)",
          at_least(0));
  v.field("checkpoint_every", checkpoint_every, "steps between two checkpoints (0 = by time)",
          at_least(0));
  v.field("checkpoint_minutes", checkpoint_minutes, "minutes between two checkpoints (0 = none)",
          at_least(0));
  v.field("keep", keep, "how many checkpoints stay", range(1, 1e6));
  v.field("shard_mb", shard_mb,
          "cut the files of a checkpoint into shards of at most so many MB (0 = whole)",
          at_least(0));
  v.field("compact_state", compact_state,
          "save averages and the optimiser's state in bf16: half the size; --resume then goes on "
          "close to where it was, not bit for bit");
}

}  // namespace mgdm::spec
