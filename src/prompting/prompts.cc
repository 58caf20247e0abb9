#include "prompting/prompts.h"

#include <fmt/format.h>

#include "base/random.h"
#include "base/text.h"

namespace mgdm::prompting {
namespace {

constexpr const char* kRules =
    "You are given four numbers. Combine them with + - * / and parentheses so that the result is "
    "24. Use each of the four numbers exactly once.\n";

std::string lines(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out;
}

std::string cot_shots() {
  std::string out = std::string(kRules) +
                    "Work in three steps. A step combines two of the numbers that are left, and "
                    "says which are left after it. Then write the whole expression.\n\n";
  for (const Shot& shot : shots())
    out += fmt::format("Numbers: {}\nSteps:\n{}Answer: {} = 24\n\n", numbers_text(shot.game),
                       lines(shot.steps), shot.answer);
  return out;
}

}  // namespace

const std::vector<Shot>& shots() {
  static const std::vector<Shot> kShots{
      {{{2, 7, 8, 9}},
       {"7 + 9 = 16 (left: 2 8 16)", "2 * 16 = 32 (left: 8 32)", "32 - 8 = 24 (left: 24)"},
       "2 * (7 + 9) - 8"},
      {{{4, 4, 10, 10}},
       {"10 * 10 = 100 (left: 4 4 100)", "100 - 4 = 96 (left: 4 96)", "96 / 4 = 24 (left: 24)"},
       "(10 * 10 - 4) / 4"},
      {{{1, 5, 8, 12}},
       {"1 + 5 = 6 (left: 8 12 6)", "8 - 6 = 2 (left: 12 2)", "12 * 2 = 24 (left: 24)"},
       "12 * (8 - (1 + 5))"},
      {{{4, 7, 8, 8}},
       {"4 + 7 = 11 (left: 8 8 11)", "11 - 8 = 3 (left: 8 3)", "8 * 3 = 24 (left: 24)"},
       "8 * (4 + 7 - 8)"},
      {{{3, 6, 6, 9}},
       {"6 * 6 = 36 (left: 3 9 36)", "3 + 9 = 12 (left: 36 12)", "36 - 12 = 24 (left: 24)"},
       "6 * 6 - (3 + 9)"}};
  return kShots;
}

std::string io_prompt(const Game24& game) {
  std::string out = std::string(kRules) + "Write one line, which begins with Answer:\n\n";
  for (const Shot& shot : shots())
    out += fmt::format("Numbers: {}\nAnswer: {} = 24\n\n", numbers_text(shot.game), shot.answer);
  return out + fmt::format("Numbers: {}\n", numbers_text(game));
}

std::string cot_prompt(const Game24& game) {
  return cot_shots() + fmt::format("Numbers: {}\nSteps:\n", numbers_text(game));
}

std::string answer_prompt(const Game24& game, const std::vector<std::string>& steps) {
  return cot_shots() + fmt::format(
                           "The steps of the last puzzle are given. Write only its line Answer:, "
                           "by exactly these steps.\n\nNumbers: {}\nSteps:\n{}",
                           numbers_text(game), lines(steps));
}

std::string propose_prompt(const std::vector<std::string>& numbers) {
  return fmt::format(
      "Somebody wants to reach 24 from some numbers, combining two of them at a time by + - * /. "
      "List eight different next steps that could be of use, one a line, each with the numbers "
      "that are left after it. Write nothing else.\n\n"
      "Numbers: 3 5 6 12\n"
      "Next steps:\n"
      "3 + 5 = 8 (left: 6 12 8)\n"
      "12 / 6 = 2 (left: 3 5 2)\n"
      "6 - 3 = 3 (left: 5 12 3)\n"
      "12 - 5 = 7 (left: 3 6 7)\n"
      "5 * 6 = 30 (left: 3 12 30)\n"
      "12 / 3 = 4 (left: 5 6 4)\n"
      "5 - 3 = 2 (left: 6 12 2)\n"
      "6 + 12 = 18 (left: 3 5 18)\n\n"
      "Numbers: {}\n"
      "Next steps:\n",
      joined_by(numbers, " "));
}

std::string value_prompt(const std::vector<std::string>& numbers) {
  return fmt::format(
      "Can these numbers, each used exactly once, make 24 by + - * / and parentheses? Try a few "
      "ways in short lines, then write a last line of one word: sure (a way was found), likely "
      "(none was found, but the size of the numbers allows it) or impossible (they are too small "
      "or too large).\n\n"
      "Numbers: 8 3\n"
      "8 * 3 = 24\n"
      "sure\n\n"
      "Numbers: 12 9\n"
      "12 + 9 = 21\n"
      "12 - 9 = 3\n"
      "12 * 9 = 108\n"
      "12 / 9 is below 2\n"
      "impossible\n\n"
      "Numbers: 2 7 10\n"
      "2 * 7 + 10 = 24\n"
      "sure\n\n"
      "Numbers: 5 7 9\n"
      "5 + 7 + 9 = 21\n"
      "9 * (7 - 5) = 18\n"
      "no way found, but the results lie around 24\n"
      "likely\n\n"
      "Numbers: 1 2 3\n"
      "3 * (1 + 2) = 9\n"
      "all of them are too small\n"
      "impossible\n\n"
      "Numbers: 24\n"
      "24 is the goal\n"
      "sure\n\n"
      "Numbers: 21\n"
      "21 is not 24, and nothing is left\n"
      "impossible\n\n"
      "Numbers: {}\n",
      joined_by(numbers, " "));
}

std::string judge_prompt(const Game24& game, std::string_view answer) {
  return fmt::format(
      "Is the answer right? It must use each of the numbers exactly once, nothing else, and make "
      "24. Check it in a short line, then write a last line of one word: sure or impossible.\n\n"
      "Numbers: 2 7 8 9\n"
      "Answer: 2 * (7 + 9) - 8 = 24\n"
      "2, 7, 9 and 8 are used once; 2 * 16 - 8 = 24\n"
      "sure\n\n"
      "Numbers: 4 7 8 8\n"
      "Answer: 8 * (7 - 4) = 24\n"
      "one 8 is not used\n"
      "impossible\n\n"
      "Numbers: 3 6 6 9\n"
      "Answer: 6 * 6 - 9 - 6 = 24\n"
      "6 is used three times, and 36 - 15 = 21\n"
      "impossible\n\n"
      "Numbers: {}\n"
      "Answer: {} = 24\n",
      numbers_text(game), answer);
}

std::string prompts_version() {
  const Game24 any{{1, 2, 3, 4}};
  return fmt::format("{:016x}",
                     stable_hash(io_prompt(any) + cot_prompt(any) + answer_prompt(any, {}) +
                                 propose_prompt({}) + value_prompt({}) + judge_prompt(any, "")));
}

}  // namespace mgdm::prompting
