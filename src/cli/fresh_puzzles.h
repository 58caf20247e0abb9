// Puzzles that a model can be tried on when nobody brought any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inference/loaded_model.h"
#include "tasks/task.h"

namespace mgdm::cli {

struct FreshPuzzles {
  std::string about;  // what they are, in a line
  std::vector<tasks::Example> examples;
};

// Generated, of the test split: of the kinds that have room in the model's rows, the most
// demanding. Unless `quiet`, with progress where that takes long.
FreshPuzzles fresh_puzzles(const inference::LoadedModel& model, std::uint64_t seed,
                           std::size_t count, bool quiet = true);

}  // namespace mgdm::cli
