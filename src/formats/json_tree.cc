#include "formats/json_tree.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace mgdm::formats {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The offset of the first byte from `at` on that ends the plain part of a string: a quote, a
// backslash or a control character. `high` collects the bits of all bytes before it.
std::size_t plain_end(std::string_view text, std::size_t at, std::uint64_t& high) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kTops; };
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t ends = has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\')) |
                               ((word - kOnes * 0x20) & ~word & kTops);
    if (ends != 0) break;
    high |= word;
  }
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '"' || c == '\\' || c < 0x20) break;
    high |= c;
  }
  return at;
}

// The four hexadecimal digits of an escape; none where they are none.
std::optional<std::uint32_t> code_of(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t code = 0;
  for (const char c : digits.substr(0, 4)) {
    const auto value = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
    if (value == std::string_view::npos || (value < 10 && !is_digit(c))) return std::nullopt;
    code = 16 * code + static_cast<std::uint32_t>(value);
  }
  return code;
}

// An escape behind its backslash: how long it is, and the character that it stands for. No length
// where there is no such escape.
struct Escape {
  std::size_t length = 0;
  std::uint32_t code = 0;
};

Escape escape_of(std::string_view text) {
  constexpr std::string_view kShort = "\"\\/bfnrt", kMeans = "\"\\/\b\f\n\r\t";
  if (text.empty()) return {};
  if (const std::size_t i = kShort.find(text[0]); i != std::string_view::npos)
    return {1, static_cast<unsigned char>(kMeans[i])};
  if (text[0] != 'u') return {};
  const auto code = code_of(text.substr(1));
  if (!code || (*code >= 0xDC00 && *code < 0xE000)) return {};
  if (*code < 0xD800 || *code >= 0xE000) return {5, *code};
  if (!text.substr(5).starts_with("\\u")) return {};
  const auto low = code_of(text.substr(7));
  if (!low || *low < 0xDC00 || *low >= 0xE000) return {};
  return {11, 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00)};
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

}  // namespace

// Both take `at` behind the value, or to what is wrong.
JsonTree::Result JsonTree::string(std::size_t& at) {
  const std::size_t begin = at + 1;
  std::uint64_t high = 0;
  bool escaped = false;
  for (at = plain_end(text_, begin, high); at < text_.size() && text_[at] != '"';
       at = plain_end(text_, at, high)) {
    if (text_[at] != '\\') return Result::kWrong;
    const std::size_t length = escape_of(text_.substr(at + 1)).length;
    constexpr std::size_t kLongest = 12;
    if (length == 0) return at + kLongest > text_.size() ? Result::kUnfinished : Result::kWrong;
    escaped = true;
    at += 1 + length;
  }
  if (at >= text_.size()) return Result::kUnfinished;
  const std::string_view all = text_.substr(begin, at - begin);
  if ((high & 0x8080808080808080) != 0 && find_invalid_utf8(all) != std::string_view::npos)
    return Result::kWrong;
  nodes_.push_back({Kind::kString, escaped, static_cast<std::uint32_t>(begin),
                    static_cast<std::uint32_t>(all.size()),
                    static_cast<std::uint32_t>(nodes_.size() + 1)});
  ++at;
  return Result::kValue;
}

JsonTree::Result JsonTree::number_or_word(std::size_t& at) {
  const std::size_t begin = at;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at > first;
  };
  const auto is = [&](std::string_view any) {
    return at < text_.size() && any.find(text_[at]) != std::string_view::npos;
  };
  Kind kind = Kind::kNumber;
  const auto fail = [&] { return at >= text_.size() ? Result::kUnfinished : Result::kWrong; };
  if (is("tfn")) {
    kind = Kind::kWord;
    const std::string_view word = text_[at] == 't' ? "true" : text_[at] == 'f' ? "false" : "null";
    for (std::size_t i = 0; i < word.size(); ++i, ++at)
      if (at >= text_.size() || text_[at] != word[i]) return fail();
  } else {
    if (is("-")) ++at;
    const bool zero = is("0");
    const std::size_t first = at;
    if (!digits() || (zero && at > first + 1)) return fail();
    if (is(".") && (++at, !digits())) return fail();
    if (is("eE")) {
      if (++at; is("+-")) ++at;
      if (!digits()) return fail();
    }
  }
  nodes_.push_back({kind, false, static_cast<std::uint32_t>(begin),
                    static_cast<std::uint32_t>(at - begin),
                    static_cast<std::uint32_t>(nodes_.size() + 1)});
  return Result::kValue;
}

JsonTree::Result JsonTree::parse(std::string_view text) {
  text_ = text;
  nodes_.clear();
  line_ends_ = 0;
  std::array<std::uint32_t, kMostDepth> open{};
  std::size_t depth = 0, at = 0;
  bool key = false;  // a key or the end of an object comes next
  const auto skip_space = [&] {
    for (; at < text.size() && is_space(text[at]); ++at) line_ends_ += text[at] == '\n' ? 1 : 0;
    return at < text.size();
  };
  const auto ended = [&](Result result) {
    size_ = at;
    return result;
  };
  while (true) {
    if (!skip_space()) return ended(Result::kUnfinished);
    const char c = text[at];
    const bool closes = depth > 0 && nodes_.size() == open[depth - 1] + 1 &&
                        c == (nodes_[open[depth - 1]].kind == Kind::kObject ? '}' : ']');
    if (key && c != '"' && !closes) return ended(Result::kWrong);
    if (closes) {
      // An empty object or list: closed below.
    } else if (c == '{' || c == '[') {
      if (depth == kMostDepth) return ended(Result::kWrong);
      open[depth++] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(
          {c == '{' ? Kind::kObject : Kind::kList, false, static_cast<std::uint32_t>(at), 0, 0});
      key = c == '{';
      ++at;
      continue;
    } else {
      const Result result = c == '"' ? string(at) : number_or_word(at);
      if (result != Result::kValue) return ended(result);
      if (key) {
        if (!skip_space()) return ended(Result::kUnfinished);
        if (text[at] != ':') return ended(Result::kWrong);
        ++at;
        key = false;
        continue;
      }
    }
    // Behind a value: what closes, or a comma and the next.
    while (depth > 0) {
      Node& node = nodes_[open[depth - 1]];
      if (!skip_space()) return ended(Result::kUnfinished);
      if (text[at] == ',') break;
      if (text[at] != (node.kind == Kind::kObject ? '}' : ']')) return ended(Result::kWrong);
      ++at;
      node.length = static_cast<std::uint32_t>(at) - node.begin;
      node.next = static_cast<std::uint32_t>(nodes_.size());
      --depth;
    }
    if (depth == 0) return ended(Result::kValue);
    key = nodes_[open[depth - 1]].kind == Kind::kObject;
    ++at;
    if (!skip_space()) return ended(Result::kUnfinished);
    if (text[at] == '}' || text[at] == ']') return ended(Result::kWrong);
  }
}

std::vector<std::size_t> JsonTree::children(std::size_t node) const {
  std::vector<std::size_t> found;
  for (std::size_t child = node + 1; child < next(node); child = next(child)) {
    found.push_back(child);
    if (kind(node) == Kind::kObject) ++child;  // from the key to its value
  }
  return found;
}

void JsonTree::text(std::size_t node, std::string& out) const {
  std::string_view rest = raw(node);
  if (!nodes_[node].escaped) {
    out.assign(rest);
    return;
  }
  out.clear();
  while (true) {
    const std::size_t plain = std::min(rest.find('\\'), rest.size());
    out += rest.substr(0, plain);
    if (plain == rest.size()) return;
    const Escape escape = escape_of(rest.substr(plain + 1));
    append_utf8(out, escape.code);
    rest.remove_prefix(plain + 1 + escape.length);
  }
}

std::string JsonTree::text(std::size_t node) const {
  std::string out;
  text(node, out);
  return out;
}

}  // namespace mgdm::formats
