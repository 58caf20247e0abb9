#include "formats/json_text.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

// The parser takes a zero byte for the end of the text, and would not look at the rest.
bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

template <class Json>
Json parsed(std::string_view text) {
  if (has_zero_byte(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <class Json>
Json parsed_or_thrown(std::string_view text, const std::string& source,
                      const std::string& expected) {
  if (has_zero_byte(text)) throw Error(source + ": not valid JSON: a zero byte", expected);
  try {
    return Json::parse(text);
  } catch (const typename Json::exception& error) {
    throw Error(fmt::format("{}: not valid JSON: {}", source, in_quotes(error.what(), 200)),
                expected);
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
                       const std::string& expected) {
  return parsed_or_thrown<nlohmann::json>(text, source, expected);
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
