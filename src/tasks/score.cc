#include "tasks/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "tasks/special_tokens.h"

namespace mgdm::tasks {

std::string_view up_to_end(std::string_view answer) {
  return answer.substr(0, answer.find(kEndName));
}

std::string without_special_tokens(std::string_view answer) {
  std::string kept;
  while (!answer.empty()) {
    std::size_t skip = 0;
    for (const std::string_view token : kSpecialNames)
      if (answer.starts_with(token)) skip = token.size();
    if (skip == 0) kept += answer.front();
    answer.remove_prefix(skip == 0 ? 1 : skip);
  }
  return kept;
}

Verdict judge(const Task& task, const Example& example, std::string_view answer) {
  if (answer.find('[') == std::string_view::npos) return task.verify(example, answer);
  Verdict verdict = task.verify(example, without_special_tokens(answer));
  verdict.correct = task.verify(example, up_to_end(answer)).correct;
  return verdict;
}

Check check(const Task& task, const Example& example, std::string_view answer) {
  const Verdict verdict = judge(task, example, answer);
  if (!verdict.checked) return {};
  if (verdict.correct) return {Check::Result::kRight};
  return {Check::Result::kWrong, task.explain(example, up_to_end(answer))};
}

std::string_view name_of(Check::Result result) {
  switch (result) {
    case Check::Result::kRight:
      return "right";
    case Check::Result::kWrong:
      return "wrong";
    case Check::Result::kNotChecked:
      break;
  }
  return "not checked";
}

namespace {

constexpr std::array<std::uint64_t, 7> kFirstGuesses = {
    0, 1, 5, 20, 50, Graded::kManySolutions, Graded::kNoSolution};

}  // namespace

std::uint64_t first_of_guesses(std::uint64_t guesses) {
  return *std::prev(std::upper_bound(kFirstGuesses.begin(), kFirstGuesses.end(), guesses));
}

std::string name_of_guesses(std::uint64_t first) {
  if (first == Graded::kNoSolution) return "no solution";
  if (first == Graded::kManySolutions) return "many solutions";
  const auto next = std::upper_bound(kFirstGuesses.begin(), kFirstGuesses.end(), first);
  if (*next == Graded::kManySolutions) return fmt::format("{}+", first);
  return *next - 1 == first ? fmt::format("{}", first) : fmt::format("{}-{}", first, *next - 1);
}

void Tally::add(const Verdict& verdict) {
  ++n;
  correct += verdict.correct ? 1 : 0;
  if (!verdict.paper_applies) return;
  ++n_paper;
  correct_paper += verdict.correct_paper ? 1 : 0;
}

void Tally::add(const Tally& other) {
  n += other.n;
  correct += other.correct;
  n_paper += other.n_paper;
  correct_paper += other.correct_paper;
}

std::optional<double> Tally::accuracy_paper() const {
  if (n_paper == 0) return std::nullopt;
  return share(correct_paper, n_paper);
}

std::optional<double> Tally::standard_error_paper() const {
  if (n_paper == 0) return std::nullopt;
  return standard_error_of(share(correct_paper, n_paper), n_paper);
}

double Tally::standard_error_of(double fraction, std::size_t n) {
  return n == 0 ? 0 : std::sqrt(fraction * (1 - fraction) / static_cast<double>(n));
}

void Score::add(const Task& task, const Example& example, std::string_view answer) {
  const Verdict verdict = judge(task, example, answer);
  if (!verdict.checked) {
    ++not_checked;
    return;
  }
  all.add(verdict);
  const Abilities can = task.abilities();
  if (can.lookahead != nullptr)
    by_planning_distance[can.lookahead->planning_distance(example)].add(verdict);
  if (can.graded != nullptr)
    by_guesses[first_of_guesses(can.graded->guesses(example))].add(verdict);
  if (verdict.correct) return;
  std::map<std::string, int> first_place;
  std::set<std::pair<std::string, int>> places;
  for (const Fault& fault : task.explain(example, up_to_end(answer))) {
    first_place.emplace(fault.category, fault.where);  // keeps the first
    places.emplace(fault.category, fault.where);
  }
  for (const auto& [category, place] : first_place) {
    ErrorCount& count = errors[category];
    ++count.answers;
    if (place > 0) ++count.by_place[place];
  }
  for (const auto& [category, place] : places)
    if (place > 0) ++errors[category].at_place[place];
}

void Score::add(const Score& other) {
  all.add(other.all);
  not_checked += other.not_checked;
  for (const auto& [category, count] : other.errors) {
    ErrorCount& mine = errors[category];
    mine.answers += count.answers;
    for (const auto& [place, n] : count.by_place) mine.by_place[place] += n;
    for (const auto& [place, n] : count.at_place) mine.at_place[place] += n;
  }
  for (const auto& [distance, tally] : other.by_planning_distance)
    by_planning_distance[distance].add(tally);
  for (const auto& [first, tally] : other.by_guesses) by_guesses[first].add(tally);
}

}  // namespace mgdm::tasks
