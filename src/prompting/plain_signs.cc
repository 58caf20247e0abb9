#include "prompting/plain_signs.h"

#include <utility>
#include <vector>

namespace mgdm::prompting {
namespace {

struct Sign {
  std::string_view written, meant;
};

// Of two that begin alike the longer is first.
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

std::string plain_signs(std::string_view text) { return Writer(text).all(); }

}  // namespace mgdm::prompting
