// The prompts for Game of 24, written for this program: five solved puzzles for a whole answer, one
// example for the next steps, and judgements of what numbers can still become.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prompting/game24.h"

namespace mgdm::prompting {

// An example in a prompt: a solved puzzle. No puzzle of the test (ranks 901 to 1000) is among them.
struct Shot {
  Game24 game;
  std::vector<std::string> steps;  // "7 + 9 = 16 (left: 2 8 16)"
  std::string answer;              // "2 * (7 + 9) - 8"
};
const std::vector<Shot>& shots();

// Asks for the answer alone.
std::string io_prompt(const Game24& game);

// Asks for the steps and then the answer.
std::string cot_prompt(const Game24& game);

// Asks for the answer, the steps being given.
std::string answer_prompt(const Game24& game, const std::vector<std::string>& steps);

// Asks for possible next steps from these numbers.
std::string propose_prompt(const std::vector<std::string>& numbers);

// Asks whether 24 can still be made of these numbers: sure, likely or impossible.
std::string value_prompt(const std::vector<std::string>& numbers);

// Asks whether an answer is right: sure or impossible.
std::string judge_prompt(const Game24& game, std::string_view answer);

// A version of all these prompts: results of different prompts must not be mixed.
std::string prompts_version();

}  // namespace mgdm::prompting
