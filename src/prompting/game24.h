// Game of 24: make 24 of four numbers, using each once, by + - * /. Finds the answer in a model's
// reply and judges it exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::prompting {

constexpr std::int64_t kGoal = 24;

struct Game24 {
  std::vector<std::int64_t> numbers;
};

// Parses a line of a countdown-4 file: "4,5,6,10,24". An Error for another target.
Game24 parse_game24(std::string_view input);

// The numbers as prompts write them: "4 5 6 10".
std::string numbers_text(const Game24& game);

// The expression in the last line that begins with "Answer:" (or "Final answer:" and the like), or
// in the line after it where it says no more, in plain signs and without "= 24", unless a later one
// says that there is none; where no such line has one, the only expression that is a line of its
// own; else what the answer is said to be; else none. Only its words: it need not be right, and
// what it claims to be equal to is not looked at.
std::optional<std::string> answer_of(std::string_view reply);

// Changes when answers are read in another way, so that results of both ways are not mixed.
inline constexpr const char* kReading = "2";

// Removes differences in spacing between equal answers.
std::string compact(std::string_view answer);

// Whether the text is an expression at all, right or wrong.
bool is_expression(std::string_view answer);

// Whether it is an expression that uses each number exactly once and makes 24. Intermediate results
// may be fractions or negative.
bool makes_24(const Game24& game, std::string_view expression);

// A line "2 * 6 = 12 (left: 4 12 5)" that a model proposes. Neither the equation nor the numbers
// left are checked.
struct Step {
  std::string equation;           // "2 * 6 = 12"
  std::vector<std::string> left;  // "4", "12", "5"
  bool operator==(const Step&) const = default;
};

// All lines of that form, in order. Other text is skipped, and so are steps after which the count
// of numbers left is wrong.
std::vector<Step> steps_of(std::string_view reply, std::size_t left);

// The value of the last of the words sure, likely and impossible in a reply: 20, 1 or 0.001; none
// if there is none.
std::optional<double> value_of(std::string_view reply);

}  // namespace mgdm::prompting
