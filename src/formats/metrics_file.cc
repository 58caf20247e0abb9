#include "formats/metrics_file.h"

#include "base/files.h"
#include "base/paths.h"
#include "formats/json_text.h"

namespace mgdm::formats {

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
