// Converts JSON from and to text. The library's parser and writer are templates that take a second
// to compile in every file; here they are compiled once for all rooms.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mgdm::formats {

// Parses a text; the result is discarded (is_discarded()) if it is not JSON, or nested more than 64
// deep.
nlohmann::json parse_json(std::string_view text);
// Keeps the members of objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

// Throws an Error instead, with what is wrong with the text and what was expected. The parser tells
// `callback` of every value that it reads.
nlohmann::json json_of(std::string_view text, const std::string& source,
                       const std::string& expected = "",
                       const nlohmann::json::parser_callback_t& callback = nullptr);
nlohmann::ordered_json ordered_json_of(std::string_view text, const std::string& source,
                                       const std::string& expected = "");

// Writes JSON on one line, or indented by so many spaces. Bytes that are not UTF-8 (file names need
// not be) become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace mgdm::formats
