// Game of 24: make 24 of four numbers, using each once, by + - * /. What a model may answer, read
// out of its words, and judged exactly.
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

// From a line of a countdown-4 file: "4,5,6,10,24". Error when the target is another.
Game24 parse_game24(std::string_view input);

// "4 5 6 10", as prompts write them.
std::string numbers_text(const Game24& game);

// The expression in the last line that begins with "Answer:" (or "Final answer:" and the like), or
// in the line after it where it says no more, in plain signs and without "= 24", unless a later one
// says that there is none; where no such line has one, the only expression that is a line of its
// own; else what the answer is said to be; else none. Only its words: it need not be right, and
// what it claims to be equal to is not looked at.
std::optional<std::string> answer_of(std::string_view reply);

// Answers of before were read in another way when this is another.
inline constexpr const char* kReading = "2";

// The same answer however it is spaced.
std::string compact(std::string_view answer);

// Whether it is one at all, right or wrong: something that computes.
bool is_expression(std::string_view answer);

// Whether it is an expression that uses each number exactly once and makes 24. Intermediate results
// may be fractions or negative.
bool makes_24(const Game24& game, std::string_view expression);

// A line "2 * 6 = 12 (left: 4 12 5)" that a model proposes, taken as the model says it: neither the
// equation nor what is left is checked.
struct Step {
  std::string equation;           // "2 * 6 = 12"
  std::vector<std::string> left;  // "4", "12", "5"
  bool operator==(const Step&) const = default;
};

// All lines of that form, in order; what stands around them is passed over, and so are steps after
// which another number of numbers is left.
std::vector<Step> steps_of(std::string_view reply, std::size_t left);

// The last of the three words sure, likely and impossible in a reply as a value: 20, 1 or 0.001;
// none where it says none of them.
std::optional<double> value_of(std::string_view reply);

}  // namespace mgdm::prompting
