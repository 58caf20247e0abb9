#include "prompting/game24.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "prompting/expression.h"
#include "tasks/countdown/problem.h"

namespace mgdm::prompting {
namespace {

// Without what Markdown puts around words.
std::string_view bare(std::string_view text) {
  constexpr std::string_view kMarks = "*`$_# \t\r";
  const std::size_t begin = text.find_first_not_of(kMarks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kMarks) - begin + 1);
}

// Without "- ", "3. " or "3) " at its start.
std::string_view without_bullet(std::string_view line) {
  line = trim(line);
  if (line.starts_with("- ") || line.starts_with("* ")) return trim(line.substr(2));
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits != 0 && digits != std::string_view::npos && digits + 1 < line.size() &&
      (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ')
    return trim(line.substr(digits + 2));
  return line;
}

// Without \boxed{...}, \(...\) and what else TeX puts around a formula, and without a full stop.
std::string_view without_frame(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kFrames[] = {
      {"\\boxed{", "}"}, {"\\(", "\\)"}, {"\\[", "\\]"}};
  text = bare(text);
  if (text.ends_with('.')) text = bare(text.substr(0, text.size() - 1));
  for (const auto& [open, close] : kFrames)
    if (text.starts_with(open) && text.ends_with(close))
      return without_frame(text.substr(open.size(), text.size() - open.size() - close.size()));
  return text;
}

// Whether it computes something.
bool is_expression(std::string_view text) {
  const auto parsed = parse_expression(text);
  return parsed && parsed->numbers.size() > 1;
}

// The side of an equation that is the expression, the left one where neither is; a text without an
// equals sign as it is.
std::string_view side_of(std::string_view text) {
  text = without_frame(text);
  const std::size_t sign = text.find('=');
  const std::string_view left = without_frame(text.substr(0, sign));
  if (sign == std::string_view::npos || is_expression(left)) return left;
  const std::string_view right = without_frame(text.substr(sign + 1));
  return is_expression(right) ? right : left;
}

// What stands behind "Answer:", "The final answer is:" and the like.
std::optional<std::string_view> named_in(std::string_view line) {
  const std::string words = lowered(line);
  std::size_t at = 0;
  const auto skip = [&](std::string_view word) {
    if (words.compare(at, word.size(), word) != 0) return false;
    at = std::min(words.find_first_not_of("*`$_# \t", at + word.size()), words.size());
    return true;
  };
  skip("the ") || skip("my ");
  skip("final ");
  if (!skip("answer")) return std::nullopt;
  skip("is");
  return skip(":") ? std::optional(line.substr(at)) : std::nullopt;
}

}  // namespace

Game24 parse_game24(std::string_view input) {
  auto problem = tasks::countdown::parse_problem(input, 4);
  if (problem.target != kGoal)
    throw Error(fmt::format("the target of {} is {}", in_quotes(input), problem.target),
                "four numbers and 24: 4,5,6,10,24");
  return {std::move(problem.numbers)};
}

std::string numbers_text(const Game24& game) { return joined_by(game.numbers, " "); }

std::optional<std::string> answer_of(std::string_view reply) {
  std::optional<std::string> named;
  std::vector<std::string> expressions;
  bool expected = false;  // in this line, by the one before it
  for (const std::string_view whole : split(reply, '\n')) {
    const std::string_view line = bare(without_bullet(bare(whole)));
    if (line.empty()) continue;
    if (is_expression(side_of(line))) {
      expressions.emplace_back(side_of(line));
      if (expected) named = expressions.back();
    }
    const auto answer = named_in(line);
    if (answer) named = side_of(*answer);
    expected = answer && named->empty();
  }
  return named || expressions.size() != 1 ? named : expressions.front();
}

bool makes_24(const Game24& game, std::string_view expression) {
  auto parsed = parse_expression(expression);
  if (!parsed || parsed->value != Fraction{kGoal, 1}) return false;
  std::vector<std::int64_t> given = game.numbers;
  std::sort(given.begin(), given.end());
  std::sort(parsed->numbers.begin(), parsed->numbers.end());
  return given == parsed->numbers;
}

std::vector<Step> steps_of(std::string_view reply, std::size_t left) {
  std::vector<Step> steps;
  for (const std::string_view whole : split(reply, '\n')) {
    const std::string_view line = without_bullet(bare(whole));
    const std::size_t open = line.find("(left:"), close = line.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) continue;
    Step step{std::string(trim(line.substr(0, open))), {}};
    if (step.equation.find('=') == std::string::npos) continue;
    std::string numbers(line.substr(open + 6, close - open - 6));
    std::replace(numbers.begin(), numbers.end(), ',', ' ');
    for (const std::string_view number : split(numbers, ' '))
      if (!trim(number).empty()) step.left.emplace_back(trim(number));
    if (step.left.size() == left) steps.push_back(std::move(step));
  }
  return steps;
}

std::optional<double> value_of(std::string_view reply) {
  constexpr std::pair<std::string_view, double> kWords[] = {
      {"sure", 20}, {"likely", 1}, {"impossible", 0.001}};
  const std::string text = lowered(reply);
  std::optional<double> value;
  std::size_t last = 0;
  const auto letter = [&](std::size_t at) {
    return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
  };
  for (const auto& [word, worth] : kWords)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
      // Not the end of "unlikely" nor the start of "surely".
      if ((at == 0 || !letter(at - 1)) && !letter(at + word.size()) && (!value || at > last)) {
        value = worth;
        last = at;
      }
  return value;
}

}  // namespace mgdm::prompting
