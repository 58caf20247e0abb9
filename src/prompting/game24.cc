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

// The side of an equation such as "24 = **4 * 6**." that computes something, in plain signs.
std::optional<std::string> expression_in(std::string_view text) {
  const std::string plain = plain_signs(text);
  for (std::string_view side : split(plain, '=')) {
    side = bare(side);
    if (side.ends_with('.')) side = bare(side.substr(0, side.size() - 1));
    if (is_expression(side)) return std::string(side);
  }
  return std::nullopt;
}

// Nothing, or what opens or closes a display: $$, \[, \begin{align*}, ```text.
bool is_frame(std::string_view line) {
  if (plain_signs(bare(line)).empty()) return true;
  const bool opens = line.starts_with("```") || line.starts_with("\\begin{");
  return (opens || line.starts_with("\\end{")) &&
         line.find_first_of("0123456789") == std::string_view::npos;
}

bool has_letters(std::string_view text) {
  return std::ranges::any_of(lowered(text), [](char c) { return c >= 'a' && c <= 'z'; });
}

// "none", "no solution": what takes an answer back. Not "24 (correct)".
bool is_denial(std::string_view text) {
  constexpr std::string_view kDenials[] = {"no",         "none",   "not",
                                           "impossible", "cannot", "unsolvable"};
  std::string words = lowered(text);
  std::ranges::replace_if(
      words, [](char c) { return c < 'a' || c > 'z'; }, ' ');
  return std::ranges::any_of(split(words, ' '), [&](std::string_view word) {
    return std::ranges::find(kDenials, word) != std::end(kDenials);
  });
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
  std::optional<std::string> named;      // the last
  std::vector<std::string> expressions;  // that are lines of their own
  bool expected = false;                 // in this line, by the one before it
  for (const std::string_view whole : split(reply, '\n')) {
    if (is_frame(trim(whole))) continue;
    const std::string_view line = bare(without_bullet(bare(whole)));
    const auto found = expression_in(line);
    if (found && !has_letters(plain_signs(line)) &&
        std::ranges::find(expressions, compact(*found), compact) == expressions.end())
      expressions.push_back(*found);
    if (found && expected) named = found;
    const auto answer = named_in(line);
    expected = answer && is_frame(*answer);
    if (!answer) continue;
    if (const auto its = expression_in(*answer))
      named = its;
    else if (!named || !is_expression(*named) || is_denial(*answer))
      named = expected ? "" : std::string(bare(answer->substr(0, answer->find('='))));
  }
  const bool says_nothing = !named || !(is_expression(*named) || is_denial(*named));
  return says_nothing && expressions.size() == 1 ? expressions.front() : named;
}

std::string compact(std::string_view answer) {
  std::string out(answer);
  std::erase(out, ' ');
  return out;
}

bool is_expression(std::string_view answer) {
  const auto parsed = parse_expression(answer);
  return parsed && parsed->numbers.size() > 1;
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
