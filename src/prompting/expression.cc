#include "prompting/expression.h"

#include <charconv>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace mgdm::prompting {
namespace {

// None when it does not fit.
std::optional<Fraction> fraction(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0 || numerator == INT64_MIN || denominator == INT64_MIN) return std::nullopt;
  const std::int64_t common = std::gcd(numerator, denominator), sign = denominator < 0 ? -1 : 1;
  return Fraction{sign * numerator / common, sign * denominator / common};
}

std::optional<Fraction> computed(const Fraction& a, char op, const Fraction& b) {
  std::int64_t first = 0, second = 0, numerator = 0, denominator = 0;
  bool lost = false;
  if (op == '+' || op == '-') {
    lost |= __builtin_mul_overflow(a.numerator, b.denominator, &first);
    lost |= __builtin_mul_overflow(b.numerator, a.denominator, &second);
    lost |= op == '+' ? __builtin_add_overflow(first, second, &numerator)
                      : __builtin_sub_overflow(first, second, &numerator);
    lost |= __builtin_mul_overflow(a.denominator, b.denominator, &denominator);
  } else {
    const auto& [over, under] =
        op == '*' ? std::pair(b.numerator, b.denominator) : std::pair(b.denominator, b.numerator);
    lost |= __builtin_mul_overflow(a.numerator, over, &numerator);
    lost |= __builtin_mul_overflow(a.denominator, under, &denominator);
  }
  return lost ? std::nullopt : fraction(numerator, denominator);
}

// sum = product {(+|-) product}, product = factor {(*|/) factor}, factor = number | (sum) | -factor
class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}

  std::optional<Expression> parse() {
    const auto value = sum(0);
    if (!value || at_ != text_.size()) return std::nullopt;
    return Expression{*value, std::move(numbers_)};
  }

 private:
  static constexpr int kDeepest = 100;

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<Fraction> sum(int depth) {
    auto value = product(depth);
    while (value) {
      const char op = take('+') ? '+' : take('-') ? '-' : '\0';
      if (op == '\0') return value;
      const auto right = product(depth);
      if (!right) return std::nullopt;
      value = computed(*value, op, *right);
    }
    return std::nullopt;
  }

  std::optional<Fraction> product(int depth) {
    auto value = factor(depth);
    while (value) {
      const char op = take('*') ? '*' : take('/') ? '/' : '\0';
      if (op == '\0') return value;
      const auto right = factor(depth);
      if (!right) return std::nullopt;
      value = computed(*value, op, *right);
    }
    return std::nullopt;
  }

  std::optional<Fraction> factor(int depth) {
    if (depth > kDeepest) return std::nullopt;
    if (take('-')) {
      const auto value = factor(depth + 1);
      return value ? computed(Fraction{0, 1}, '-', *value) : std::nullopt;
    }
    if (take('(')) {
      const auto value = sum(depth + 1);
      return value && take(')') ? value : std::nullopt;
    }
    std::int64_t number = 0;
    const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
    if (begin == end || *begin < '0' || *begin > '9') return std::nullopt;
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error != std::errc()) return std::nullopt;
    at_ += static_cast<std::size_t>(stop - begin);
    numbers_.push_back(number);
    return Fraction{number, 1};
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> numbers_;
};

struct Sign {
  std::string_view written, meant;
};

// The longer of two signs that begin alike comes first.
constexpr Sign kSigns[] = {
    {"×", "*"},
    {"·", "*"},
    {"⋅", "*"},
    {"∗", "*"},
    {"x", "*"},
    {"X", "*"},
    {"\\times", "*"},
    {"\\cdot", "*"},
    {"\\ast", "*"},
    {"\\*", "*"},
    {"÷", "/"},
    {"∕", "/"},
    {"⁄", "/"},
    {"\\div", "/"},
    {"−", "-"},
    {"–", "-"},
    {"—", "-"},
    {"‑", "-"},
    {"[", "("},
    {"]", ")"},
    // How it looks.
    {"\\left", " "},
    {"\\right", " "},
    {"\\bigl", " "},
    {"\\bigr", " "},
    {"\\Bigl", " "},
    {"\\Bigr", " "},
    {"\\big", " "},
    {"\\Big", " "},
    {"\\displaystyle", " "},
    {"\\qquad", " "},
    {"\\quad", " "},
    {"\\(", " "},
    {"\\)", " "},
    {"\\[", " "},
    {"\\]", " "},
    {"\\,", " "},
    {"\\;", " "},
    {"\\:", " "},
    {"\\!", " "},
    {"\\ ", " "},
    {"\\\\", " "},
    {"&", " "},
    {"~", " "},
    {"$", " "},
    {"\t", " "},
    {"\r", " "},
    {"\u00a0", " "},
    {"\u2009", " "},
    {"\u202f", " "},
    {"\ufe0f", " "},
    {"\\checkmark", " "},
    {"✅", " "},
    {"✓", " "},
    {"✔", " "},
};

// What a brace that TeX opens belongs to.
struct Brace {
  std::string_view opened, begins, ends;
};

constexpr Brace kBraces[] = {
    {"\\boxed{", "", ""},     {"\\dfrac{", "((", ")/("}, {"\\tfrac{", "((", ")/("},
    {"\\frac{", "((", ")/("}, {"{", "(", ")"},
};

// Reads from the left and remembers how the open braces end.
class Writer {
 public:
  explicit Writer(std::string_view text) : text_(text) {}

  std::string all() {
    while (!text_.empty())
      if (!opening() && !closing() && !sign()) {
        write(text_.substr(0, 1));
        text_.remove_prefix(1);
      }
    if (out_.ends_with(' ')) out_.pop_back();
    return std::move(out_);
  }

 private:
  void write(std::string_view plain) {
    if (plain == " " && (out_.empty() || out_.back() == ' ')) return;
    out_ += plain;
  }

  bool opening() {
    for (const Brace& brace : kBraces)
      if (text_.starts_with(brace.opened)) {
        text_.remove_prefix(brace.opened.size());
        write(brace.begins);
        ends_.push_back(brace.ends);
        return true;
      }
    return false;
  }

  // The first brace of \frac is followed by its second.
  bool closing() {
    if (!text_.starts_with('}') || ends_.empty()) return false;
    text_.remove_prefix(1);
    const std::string_view end = ends_.back();
    ends_.pop_back();
    write(end);
    if (end == ")/(" && text_.starts_with('{')) {
      text_.remove_prefix(1);
      ends_.push_back("))");
    }
    return true;
  }

  bool sign() {
    for (const Sign& sign : kSigns)
      if (text_.starts_with(sign.written)) {
        text_.remove_prefix(sign.written.size());
        write(sign.meant);
        return true;
      }
    return false;
  }

  std::string_view text_;
  std::string out_;
  std::vector<std::string_view> ends_;
};

}  // namespace

std::optional<Expression> parse_expression(std::string_view text) {
  std::string plain = plain_signs(text);
  // "1 2" would become 12 without its space.
  const auto digit = [&](std::size_t at) { return plain[at] >= '0' && plain[at] <= '9'; };
  for (std::size_t i = 1; i + 1 < plain.size(); ++i)
    if (plain[i] == ' ' && digit(i - 1) && digit(i + 1)) return std::nullopt;
  std::erase(plain, ' ');
  return Parser(std::move(plain)).parse();
}

std::string plain_signs(std::string_view text) { return Writer(text).all(); }

}  // namespace mgdm::prompting
