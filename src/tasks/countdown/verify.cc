#include "tasks/countdown/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "tasks/countdown/search.h"

namespace mgdm::tasks::countdown {
namespace {

// The numbers still to be used. A number made by an earlier equation has the value that was written
// and the value it truly has; they differ after a calculation error.
class Pool {
 public:
  explicit Pool(const std::vector<Number>& numbers) {
    for (const Number number : numbers) entries_[size_++] = {number, number};
  }

  // Takes one entry written as `number`; returns its true value.
  std::optional<Number> take(Number number) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (entries_[i].written != number) continue;
      const Number true_value = entries_[i].true_value;
      std::move(entries_.begin() + i + 1, entries_.begin() + size_, entries_.begin() + i);
      --size_;
      return true_value;
    }
    return std::nullopt;
  }

  void add(Number written, Number true_value) { entries_[size_++] = {written, true_value}; }

  std::size_t size() const { return size_; }

  std::vector<Number> true_values() const {
    std::vector<Number> values;
    for (std::size_t i = 0; i < size_; ++i) values.push_back(entries_[i].true_value);
    return values;
  }

  std::string written() const {
    std::vector<Number> values;
    for (std::size_t i = 0; i < size_; ++i) values.push_back(entries_[i].written);
    return joined_by(values, ", ");
  }

 private:
  struct Entry {
    Number written = 0, true_value = 0;
  };
  std::array<Entry, kMaxNumbers> entries_{};
  std::size_t size_ = 0;
};

}  // namespace

bool correct(const Problem& problem, std::string_view answer) {
  Pool pool(problem.numbers);
  Number last = 0;
  while (true) {
    const std::size_t comma = answer.find(',');
    const auto equation = parse_equation(answer.substr(0, comma));
    if (!equation || value(equation->x, equation->op, equation->y) != equation->z) return false;
    if (!pool.take(equation->x) || !pool.take(equation->y)) return false;
    pool.add(equation->z, equation->z);
    last = equation->z;
    if (comma == std::string_view::npos) return pool.size() == 1 && last == problem.target;
    answer.remove_prefix(comma + 1);
  }
}

std::vector<Fault> explain(const Problem& problem, std::string_view answer) {
  std::vector<Fault> faults;
  std::optional<Fault> planning;
  Pool pool(problem.numbers);
  bool followed = true;  // the pool still stands for what the answer has made
  std::optional<Number> last;
  int where = 0;
  for (const std::string_view text : split(answer, ',')) {
    ++where;
    last.reset();
    const auto equation = parse_equation(text);
    if (!equation) {
      faults.push_back({"malformed answer", where,
                        fmt::format("equation {} is {}, not of the form x+y=z", where,
                                    text.empty() ? "empty" : in_quotes(text))});
      followed = false;
      continue;
    }
    last = equation->z;
    const auto computed = value(equation->x, equation->op, equation->y);
    if (computed != equation->z)
      faults.push_back({kCalculationError, where,
                        computed ? fmt::format("equation {} says {}, but it is {}", where,
                                               render(*equation), *computed)
                                 : fmt::format("equation {} says {}, but that has no whole value",
                                               where, render(*equation))});
    if (!followed) continue;

    const std::string before = pool.written();
    const auto x = pool.take(equation->x);
    const auto y = x ? pool.take(equation->y) : std::nullopt;
    if (!y) {
      faults.push_back(
          {kNotAvailable, where,
           x && equation->x == equation->y
               ? fmt::format("equation {} uses {} twice, but the numbers at hand have it once: {}",
                             where, equation->y, before)
               : fmt::format("equation {} uses {}, but the numbers at hand are {}", where,
                             x ? equation->y : equation->x, before)});
      followed = false;
      continue;
    }
    const auto true_value = value(*x, equation->op, *y);
    pool.add(equation->z, true_value.value_or(equation->z));
    if (!planning &&
        (!true_value || *true_value < 0 || !reachable(pool.true_values(), problem.target)))
      planning = Fault{kPlanningError, where,
                       fmt::format("after equation {} the numbers {} can no longer reach {}", where,
                                   joined_by(pool.true_values(), ", "), problem.target)};
  }
  if (last && *last != problem.target)
    faults.push_back({"target missed", 0,
                      fmt::format("the last result is {}, the target {}", *last, problem.target)});
  if (followed && pool.size() > 1)
    faults.push_back(
        {"numbers left over", 0, fmt::format("{} remain to be combined", pool.written())});
  if (planning) faults.push_back(*planning);
  return faults;
}

}  // namespace mgdm::tasks::countdown
