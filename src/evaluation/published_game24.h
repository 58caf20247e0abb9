// GPT-4's results on Game of 24, which the paper quotes from Yao et al. 2023.
#pragma once

#include <array>

namespace mgdm::evaluation {

struct PublishedGame24 {
  const char* method;  // of mgdm prompt
  const char* name;
  double accuracy, prompt_tokens, generated_tokens;  // %, per puzzle
  double times;                                      // as many tokens as MGDM takes
};

constexpr std::array<PublishedGame24, 4> kPublishedGame24 = {
    {{"io", "IO", 7.3, 1000, 18, 28},
     {"cot", "CoT", 4.0, 2200, 67, 61},
     {"cot-sc", "CoT-SC", 9.0, 2200, 6700, 241},
     {"tot", "ToT", 74.0, 1400, 2500, 186}}};

}  // namespace mgdm::evaluation
