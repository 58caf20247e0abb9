#include "formats/json_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

// Why the parser must not see a text; empty when it may. The parser takes a zero byte for the end
// of the text. It needs about 80 bytes for each bracket of a text that only opens them.
std::string_view objection(std::string_view text) {
  constexpr int kMostDepth = 64;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') return "it has a zero byte";
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMostDepth) return "it is nested too deeply";
  }
  return "";
}

template <class Json>
Json parsed(std::string_view text) {
  if (!objection(text).empty()) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <class Json>
Json parsed_or_thrown(std::string_view text, const std::string& source, const std::string& expected,
                      const typename Json::parser_callback_t& callback = nullptr) {
  if (const std::string_view why = objection(text); !why.empty())
    throw Error(fmt::format("{}: not valid JSON: {}", source, why), expected);
  try {
    return Json::parse(text, callback);
  } catch (const typename Json::parse_error& error) {  // its words are the parser's own
    const std::size_t byte = std::min(std::max<std::size_t>(error.byte, 1) - 1, text.size());
    throw Error(fmt::format("{}: not valid JSON at byte {}: {}", source, byte + 1,
                            byte == text.size() ? "it ends" : in_quotes(text.substr(byte), 20)),
                expected);
  } catch (const typename Json::out_of_range&) {
    throw Error(source + ": not valid JSON: a number is too large", expected);
  }
}

template <class Json>
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) { return parsed<nlohmann::json>(text); }
nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return parsed<nlohmann::ordered_json>(text);
}

nlohmann::json json_of(std::string_view text, const std::string& source,
                       const std::string& expected,
                       const nlohmann::json::parser_callback_t& callback) {
  return parsed_or_thrown<nlohmann::json>(text, source, expected, callback);
}
nlohmann::ordered_json ordered_json_of(std::string_view text, const std::string& source,
                                       const std::string& expected) {
  return parsed_or_thrown<nlohmann::ordered_json>(text, source, expected);
}

std::string json_text(const nlohmann::json& value, int indent) { return text_of(value, indent); }
std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return text_of(value, indent);
}

}  // namespace mgdm::formats
