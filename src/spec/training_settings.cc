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
  v.field("momentum", momentum, "Nesterov momentum of muon", range(0, 0.9999));
  v.field("beta1", beta1, "adamw: decay of the gradient's running mean", range(0, 0.999999));
  v.field("beta2", beta2, "adamw: decay of the squared gradient's running mean",
          range(0, 0.999999));
  v.field("eps", eps, "adamw: added to the denominator", at_least(0));
  v.field("weight_decay", weight_decay, "decoupled weight decay of matrices and embeddings",
          at_least(0));
  v.field("clip", clip, "largest norm of the whole gradient (0 = no clipping)", at_least(0));
  v.field("schedule", schedule, "learning rate over the run: " + config::help_of(schedule_kinds()),
          one_of(config::names_of(schedule_kinds())));
  v.field("warmup_steps", warmup_steps, "steps over which the learning rate rises to its maximum",
          at_least(0));
  v.field("decay_share", decay_share,
          "linear: fraction of the run, at its end, over which it falls to 0", range(0, 1));
}

using config::at_least;
using config::one_of;
using config::range;

void TrainingSettings::visit(config::Visitor& v) {
  v.field("batch", batch, "examples per step, summed over all processes", range(1, 1e6));
  v.field("accumulate", accumulate, "number of parts in which a batch is computed, to save memory",
          range(1, 4096));
  v.field("epochs", epochs, "length of training in epochs", at_least(0));
  v.field("steps", steps, "length of training in steps", at_least(0));
  v.field("minutes", minutes,
          "length of training in minutes, without the last evaluation (evaluation.minutes)",
          at_least(0));
  v.field("device", device, "auto, cpu, cuda or cuda:N");
  v.field("precision", precision, "precision of matmuls on CUDA; the CPU computes in fp32",
          one_of({"bf16", "fp32"}));
  v.field("ema", ema,
          "decay of averaged weights, which are then evaluated and saved: 0.999 (0 = none)",
          range(0, 0.999999));
  v.field(
      "fewest_loops", fewest_loops,
      "looped models: draw each step's number of loops between this and model.loops (0 = always "
      "model.loops)",
      range(0, 256));
  v.field(
      "rounds", rounds,
      "looped models with model.loop_norm: run the loops 1 to N times in a row and learn from the "
      "last of these rounds alone: deep at a fraction of the cost",
      range(1, 64));
  v.field("late_share", late_share,
          "looped models with model.loop_norm: this fraction of the steps first runs 2, 4, 8, ... "
          "or late_rounds rounds without learning from them, so that late states are stable",
          range(0, 1));
  v.field("late_rounds", late_rounds,
          "looped models with model.loop_norm: the most rounds that a late step runs first",
          range(2, 1024));
  v.field("recompute", recompute,
          "llama and looped: recompute every block or loop in the backward pass instead of keeping "
          "its activations: a third slower, much less memory");
  v.field("cuda_graph", cuda_graph, "record the training step as a CUDA graph and replay it");
  v.field("cuda_kernels", cuda_kernels, "use mgdm's CUDA kernels; false: LibTorch's");
  v.field("deterministic", deterministic,
          "CUDA: bit-for-bit reproducible, also after --resume; slower (a CPU always is)");
  v.field("log_every", log_every,
          "steps between two log lines (0 = 50, or a twentieth of a shorter run)", range(0, 1e9));
  v.field("evaluate_every", evaluate_every, "steps between two evaluations (0 = only the last)",
          at_least(0));
  v.field("checkpoint_every", checkpoint_every, "steps between two checkpoints (0 = by time)",
          at_least(0));
  v.field("checkpoint_minutes", checkpoint_minutes, "minutes between two checkpoints (0 = none)",
          at_least(0));
  v.field("keep", keep, "number of newest checkpoints to keep; the best one stays, too",
          range(1, 1e6));
  v.field("best", best,
          "the metric by which a checkpoint is the best; accuracy: of those at evaluate_every",
          one_of({"held_out_loss", "held_out_token_accuracy", "accuracy", "accuracy_paper"}));
  v.field("patience", patience,
          "end training when the metric of training.best has not improved for this many steps "
          "(0 = never)",
          at_least(0));
  v.field("shard_mb", shard_mb,
          "largest size of a checkpoint file in MB; larger ones are sharded (0 = no limit)",
          at_least(0));
  v.field("compact_state", compact_state,
          "save averages and optimiser state in bf16: half the size, but --resume is no longer bit "
          "for bit");
}

}  // namespace mgdm::spec
