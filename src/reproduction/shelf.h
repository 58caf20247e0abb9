// The models that come along.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mgdm::reproduction {

struct ShippedModel {
  std::string name, folder, task;
  std::vector<std::string> options = {};  // of the puzzles that it learned, as its card says
  bool diffusion = false;  // answers from all [MASK], in an order; others left to right
  std::int64_t loops = 0;  // in training; 0 where the network has none
};

// Those on the shelf that are ours, by name.
std::vector<ShippedModel> shipped_models();

}  // namespace mgdm::reproduction
