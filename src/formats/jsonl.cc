#include "formats/jsonl.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::formats {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += c;
    }
  }
}

}  // namespace

JsonStrings parse_jsonl_line(std::string_view line) {
  nlohmann::json object = parse_json(line);
  if (object.is_discarded())
    throw Error(fmt::format("{} is not JSON", in_quotes(line)),
                "one JSON object per line, such as {\"input\": \"...\", \"output\": \"...\"}");
  if (!object.is_object())
    throw Error(fmt::format("the line is a JSON {}", object.type_name()), "a JSON object");
  JsonStrings members;
  for (auto& [key, value] : object.items())
    if (value.is_string()) members.emplace_back(key, std::move(value.get_ref<std::string&>()));
  return members;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out + '"';
}

std::string jsonl_line(
    std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  std::string out = "{";
  for (const auto& [key, value] : members) {
    if (out.size() > 1) out += ", ";
    out += '"';
    append_escaped(out, key);
    out += "\": \"";
    append_escaped(out, value);
    out += '"';
  }
  return out + "}\n";
}

bool JsonlReader::next() {
  for (std::string_view line; lines_.next(line);) {
    if (trim(line).empty()) continue;
    auto members = unless_bad(on_bad_, [&] {
      return with_location(path(), line_number(), [&] { return parse_jsonl_line(line); });
    });
    if (!members) continue;
    members_ = *std::move(members);
    return true;
  }
  return false;
}

std::optional<std::string> JsonlReader::text(std::string_view key) const {
  for (const auto& [name, value] : members_)
    if (name == key) return value;
  return std::nullopt;
}

std::string JsonlReader::required_text(std::string_view key) const {
  auto value = text(key);
  if (!value)
    throw Error(fmt::format("{}there is no string \"{}\"", at(path(), line_number()), key),
                fmt::format("{{\"{}\": \"...\"}} in every line", key));
  return *std::move(value);
}

}  // namespace mgdm::formats
