#include "formats/jsonl.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/paths.h"
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
