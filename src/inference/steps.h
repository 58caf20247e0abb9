// A pass for display: the answer as text, with the model's confidence in each character.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoding/slots.h"
#include "spec/puzzle_rows.h"

namespace mgdm::inference {

inline constexpr char kHidden = '_';  // stands for what is not shown yet

struct StepText {
  std::int64_t attempt = 0, pass = 0;  // from 0
  std::string text;                    // the answer up to its end, kHidden where masked
  std::vector<float> confidence;       // of each character of the text
  std::vector<bool> given = {};        // whether it is the puzzle's
};

StepText step_text(const spec::PuzzleRows& rows, std::span<const std::uint8_t> frozen,
                   const decoding::Step& step);

}  // namespace mgdm::inference
