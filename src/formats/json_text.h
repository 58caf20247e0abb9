// JSON from text and to text. The library's parser and writer are templates, which take a second to
// compile wherever they are used; here they are compiled for all rooms.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mgdm::formats {

// What the text says; discarded (is_discarded()) where it is not JSON.
nlohmann::json parse_json(std::string_view text);
// The same, the members of objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

// The same, or an Error that says what is wrong with the text, and what was expected.
nlohmann::json json_of(std::string_view text, const std::string& source,
                       const std::string& expected = "");
nlohmann::ordered_json ordered_json_of(std::string_view text, const std::string& source,
                                       const std::string& expected = "");

// On one line, or indented by so many spaces. What is not UTF-8, as names of files need not be, is
// replaced by U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace mgdm::formats
