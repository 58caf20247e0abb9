// Where a model finds an answer hard: its loss at every noise level and position (the paper's
// figure of a hard subgoal).
//
// Every example is noised as in training, but at each level t = 0..T-1 in turn, and the unweighted
// cross entropy -log p(x_0,n | x_t) of the tokens that the objective counts goes into cell (t, n).
// Position n counts from the start of the answer. An autoregressive or teacherless model has one
// level.
//
// Draws are keyed by (seed, kMask, item, sample): what an example is shown does not depend on its
// batch, and the masks of a level contain those of the level below.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "evaluation/loss_table.h"
#include "evaluation/reasoner.h"

namespace mgdm::evaluation {

struct ProfileSettings {
  std::int64_t levels = 20;  // T
  std::int64_t samples = 1;  // noised copies of every example, at every level
  std::int64_t seed = 1;
  std::int64_t batch = 256;
};

struct Losses {
  LossTable noised;
  // Absorbing diffusion only, one level: -log p(x_n | x_1 .. x_{n-1}), everything from n on being
  // masked. It is what an autoregressive model must predict; like there, [PAD]s are not counted.
  std::optional<LossTable> left_to_right;
};

struct LossProfile {
  Losses all;
  std::map<int, Losses> by_planning_distance;  // planning only
};

// Every example needs its answer. progress(n) is called after every n examples.
LossProfile profile_losses(const Reasoner& reasoner, std::span<const tasks::Example> examples,
                           const ProfileSettings& settings,
                           const std::function<void(std::size_t)>& progress = {});

}  // namespace mgdm::evaluation
