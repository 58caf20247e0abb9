// Symmetry averaging: several views of a puzzle (data/view.h) are decoded side by side, and the
// answer is the one that most of them agree on.
//
// A network is hardly ever as symmetric as its task. A puzzle that is hard for it looks easier
// under one symmetry than under another; right answers agree, wrong ones seldom do. Nobody verifies
// anything: that is what tries are for (trying.h). docs/experiments.md says what else was tried.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "inference/engine.h"

namespace mgdm::inference {

// An engine that takes the views out of requests without a verifier and lets another decode them,
// each as a puzzle of its own. The passes of an answer are those of all its views. Observers see
// the puzzle as it was posed; one who ends it ends its views, and the answer is what was seen last.
std::unique_ptr<Engine> voting_engine(std::shared_ptr<Engine> engine);

// Which of several answers, one at least, comes most often; the first of them where several do.
std::size_t most_agreed(std::span<const std::vector<data::Token>> answers);

}  // namespace mgdm::inference
