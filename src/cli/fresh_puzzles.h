// New test puzzles for `demo`, and for `eval` without --data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inference/loaded_model.h"
#include "tasks/task.h"

namespace mgdm::cli {

struct FreshPuzzles {
  std::string about;  // describes them in a line
  std::vector<tasks::Example> examples;
};

// Generates `count` puzzles of the test split: the hardest kind that fits the model's rows.
FreshPuzzles fresh_puzzles(const inference::LoadedModel& model, std::uint64_t seed,
                           std::size_t count, bool quiet = true);

}  // namespace mgdm::cli
