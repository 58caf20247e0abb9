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
  const auto before_sign = [](std::string_view line) {
    return std::string(bare(line.substr(0, line.find('='))));
  };
  for (const std::string_view whole : split(reply, '\n')) {
    std::string_view line = bare(whole);
    const auto parsed = parse_expression(before_sign(line));
    if (parsed && parsed->numbers.size() > 1) expressions.push_back(before_sign(line));
    constexpr std::string_view kWord = "answer";
    if (lowered(line.substr(0, kWord.size())) != kWord) continue;
    line = bare(line.substr(kWord.size()));
    if (line.starts_with(':')) named = before_sign(bare(line.substr(1)));
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
