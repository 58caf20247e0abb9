// The shipped models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mgdm::reproduction {

struct ShippedModel {
  std::string name, folder, task;
  std::vector<std::string> options = {};  // of its training puzzles, from its card
  bool diffusion = false;                 // a diffusion model; otherwise left to right
  std::int64_t loops = 0;                 // in training; 0 where the network has none
};

// The shipped models with a card, by name.
std::vector<ShippedModel> shipped_models();

}  // namespace mgdm::reproduction
