// A task as CONTRIBUTING.md adds one: "3142" becomes "1234".
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "tasks/family.h"

namespace mgdm::tasks::sort {
namespace {

class Sort : public Task {
 public:
  explicit Sort(std::int64_t digits) : digits_(static_cast<std::size_t>(digits)) {}

  std::string name() const override { return "sort"; }

  std::string about() const override { return "write digits in order"; }

  Example generate(std::uint64_t seed, Split split, std::uint32_t item) const override {
    Stream random = item_stream(seed, split, item);
    while (true) {
      std::string digits;
      while (digits.size() < digits_) digits += static_cast<char>('0' + random.below(10));
      if (in_test_split(digits) == (split == Split::kTest)) return {digits, sorted(digits)};
    }
  }

  std::string normalize_input(std::string_view text) const override {
    const std::string_view digits = trim(text);
    if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
      throw Error(in_quotes(text) + " is no puzzle of sort", "digits, such as 3142");
    return std::string(digits);
  }

  std::optional<std::string> solve(std::string_view input) const override {
    return sorted(normalize_input(input));
  }

  Verdict verify(const Example& example, std::string_view answer) const override {
    const bool correct = answer == *solve(example.input);
    return {correct, correct};
  }

  std::vector<Fault> explain(const Example& example, std::string_view answer) const override {
    if (verify(example, answer).correct) return {};
    return {{"not in order", 0, "in order the digits are " + *solve(example.input)}};
  }

 private:
  static std::string sorted(std::string digits) {
    std::ranges::sort(digits);
    return digits;
  }

  const std::size_t digits_;
};

struct Options {
  std::int64_t digits = 6;

  void visit(config::Visitor& v) {
    v.field("digits", digits, "sort: digits per puzzle", config::range(1, 20));
  }
};

}  // namespace

const Family& family() {
  static const Family kFamily = with_options<Options>(
      {.name = "sort",
       .tasks = {"sort"},
       .faults = [](std::string_view) -> FaultWords { return {{"not in order"}}; }},
      [](std::string_view, const Options& options, bool) {
        return std::make_unique<Sort>(options.digits);
      });
  return kFamily;
}

}  // namespace mgdm::tasks::sort
