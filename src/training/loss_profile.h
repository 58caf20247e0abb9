// Where a model finds an answer hard: its loss at every noise level and position (the paper's
// figure of a hard subgoal).
//
// Every example is noised as in training, but at each level t = 0..T-1 in turn, and the unweighted
// cross entropy -log p(x_0,n | x_t) of the tokens that the objective counts goes into cell (t, n).
// Position n counts from the start of the answer. An autoregressive or teacherless model has one
// level. The hard subgoal of an example (planning) is also counted by itself, masked diffusion
// under chosen contexts: what stands before it is shown, what stands after it, both or nothing.
//
// Draws are keyed by (seed, kMask, item, sample): what an example is shown does not depend on its
// batch, and the masks of a level contain those of the level below.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "evaluation/loss_table.h"
#include "nn/model.h"
#include "spec/model_card.h"
#include "spec/puzzle_rows.h"
#include "tasks/task.h"

namespace mgdm::training {

struct ProfileSettings {
  std::int64_t levels = 20;  // T
  std::int64_t samples = 1;  // noised copies of every example, at every level
  std::int64_t seed = 1;
  std::int64_t batch = 256;
};

// Every example needs its answer. `bf16` computes matrix products in bf16 on CUDA. progress(n) is
// called now and then, for n more examples.
evaluation::LossProfile profile_losses(nn::Model& model, const spec::ModelCard& card,
                                       const spec::PuzzleRows& rows,
                                       std::span<const tasks::Example> examples,
                                       const ProfileSettings& settings, bool bf16 = false,
                                       const std::function<void(std::size_t)>& progress = {});

}  // namespace mgdm::training
