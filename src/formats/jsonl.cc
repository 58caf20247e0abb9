#include "formats/jsonl.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
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

// Nothing for what is not text: objects, and numbers that stand alone.
std::optional<std::string> text_of(nlohmann::json& value, bool in_list = false) {
  if (value.is_string()) return std::move(value.get_ref<std::string&>());
  if (in_list && value.is_null()) return "";  // a blank cell
  if (in_list && value.is_number()) return value.dump();
  if (!value.is_array()) return std::nullopt;
  const bool lines = !in_list && std::ranges::any_of(value, [](const auto& item) {
    return item.is_array() || item.is_string();
  });
  std::vector<std::string> items;
  for (auto& item : value) {
    if (in_list && item.is_array()) return std::nullopt;
    auto text = text_of(item, true);
    if (!text) return std::nullopt;
    items.push_back(*std::move(text));
  }
  return joined_by(items, lines ? "\n" : ",");
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
    if (auto text = text_of(value)) members.emplace_back(key, *std::move(text));
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
    line_ = line;
    return true;
  }
  return false;
}

std::optional<std::string> JsonlReader::text(std::string_view key) const {
  for (const auto& [name, value] : members_)
    if (name == key) return value;
  return std::nullopt;
}

std::string JsonlReader::required_text(const std::vector<std::string_view>& keys) const {
  for (const std::string_view key : keys)
    if (auto value = text(key)) return *std::move(value);
  std::string wrong = "the line has none of these members: " + joined_by(keys, ", ");
  const auto json = parse_json(line_);
  for (const std::string_view key : keys)
    if (const auto found = json.find(key); found != json.end())
      wrong = fmt::format("'{}' is {}", key, shortened(found->dump(), 60));
  throw Error(at(path(), line_number()) + wrong,
              "a string, or a grid as a list of rows, in each line");
}

void for_each_metrics_line(const std::filesystem::path& file,
                           const std::function<void(const MetricsLine&)>& each) {
  if (!is_there(file)) return;
  LineReader lines(file.string(), Reading::kFile);
  for (std::string_view text; lines.next(text);) {
    const auto json = parse_json(text);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) continue;
    MetricsLine line{.step = json["step"].get<std::int64_t>(), .text = text};
    if (line.step < 0) continue;
    for (const auto& [name, value] : json.items())
      if (value.is_number() && name != "step") line.numbers[name] = value.get<double>();
    each(line);
  }
}

std::vector<Curve::Point> read_metric(const std::filesystem::path& file, const std::string& name) {
  std::vector<Curve::Point> points;
  for_each_metrics_line(file, [&](const MetricsLine& line) {
    if (const auto found = line.numbers.find(name); found != line.numbers.end())
      points.push_back({static_cast<double>(line.step), found->second});
  });
  return points;
}

}  // namespace mgdm::formats
