#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>

#include "base/paths.h"
#include "formats/jsonl.h"
#include "formats/markdown_table.h"
#include "torch_commands/torch_commands.h"

namespace mgdm::torch_commands {
namespace {

namespace fs = std::filesystem;

// "0.9850 ± 0.0021", with the standard deviation of a sample.
std::string mean_and_deviation(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return fmt::format("{:.4f} ± {:.4f}", mean, std::sqrt(squares / (n - 1)));
}

// What the runs measured last. A metric that one of them lacks is left out.
std::string table_of(const std::vector<fs::path>& runs) {
  std::vector<formats::MarkdownTable::Column> columns{{"metric"},
                                                      {"mean ± sd", formats::Align::kRight}};
  for (const fs::path& run : runs)
    columns.push_back({run.filename().string(), formats::Align::kRight});
  formats::MarkdownTable table(columns);
  for (const char* const name :
       {"held_out_loss", "held_out_token_accuracy", "accuracy", "accuracy_paper"}) {
    std::vector<double> values;
    std::vector<std::string> cells{name, ""};
    for (const fs::path& run : runs)
      if (const auto points = formats::read_metric(run / "metrics.jsonl", name); !points.empty()) {
        values.push_back(points.back().y);
        cells.push_back(fmt::format("{:.4f}", values.back()));
      }
    if (values.size() < runs.size()) continue;
    cells[1] = mean_and_deviation(values);
    table.add_row(cells);
  }
  return table.text();
}

}  // namespace

void train_seeds(const spec::Recipe& recipe, const spec::RunRequest& request) {
  std::vector<fs::path> runs;
  bool first = true;  // of several processes
  for (std::int64_t seed = recipe.seed; seed < recipe.seed + request.seeds; ++seed) {
    runs.push_back(fs::path(request.out) / fmt::format("seed-{}", seed));
    spec::RunRequest one = request;
    one.out = runs.back().string();
    one.overrides.push_back(fmt::format("seed={}", seed));
    one.resume = (request.resume || spec::is_restarted()) && is_there(runs.back() / "config.toml");
    first = !train(spec::checked_recipe(one), one).empty();
  }
  if (first && !request.quiet) fmt::print("\n{}", table_of(runs));
}

}  // namespace mgdm::torch_commands
