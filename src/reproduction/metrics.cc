#include "reproduction/metrics.h"

#include "base/files.h"
#include "base/paths.h"
#include "formats/json_text.h"

namespace mgdm::reproduction {

std::vector<formats::Curve::Point> read_metric(const std::filesystem::path& run,
                                               const std::string& name) {
  std::vector<formats::Curve::Point> points;
  if (!is_there(run / "metrics.jsonl")) return points;
  LineReader lines((run / "metrics.jsonl").string(), Reading::kFile);
  for (std::string_view line; lines.next(line);) {
    const auto json = formats::parse_json(line);
    if (json.is_discarded() || !json.is_object() || !json.contains("step") ||
        !json.contains(name) || !json["step"].is_number() || !json[name].is_number())
      continue;
    points.push_back({json["step"].get<double>(), json[name].get<double>()});
  }
  return points;
}

}  // namespace mgdm::reproduction
