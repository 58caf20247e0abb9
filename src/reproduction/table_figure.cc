// A table as a figure.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "formats/svg_figure.h"
#include "reproduction/table.h"

namespace mgdm::reproduction {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double or_none(const std::optional<double>& value) { return value ? *value : kNone; }

void add_if_any(formats::BarChart& chart, formats::BarSeries series) {
  if (std::ranges::any_of(series.values, [](double value) { return std::isfinite(value); }))
    chart.series.push_back(std::move(series));
}

formats::BarChart bars_by_column(const Table& table) {
  formats::BarChart chart;
  for (const TableRow& row : table.rows)
    for (const auto& [name, member] :
         {std::pair("paper: " + row.label, &Value::paper), std::pair(row.label, &Value::ours)}) {
      formats::BarSeries series{name, {}};
      for (const Value& value : row.values) series.values.push_back(or_none(value.*member));
      add_if_any(chart, std::move(series));
    }
  chart.categories = table.columns;
  return chart;
}

formats::BarChart bars_by_row(const Table& table) {
  formats::BarChart chart;
  for (const TableRow& row : table.rows) chart.categories.push_back(row.label);
  const std::size_t columns = table.charted == 0 ? table.columns.size() : table.charted;
  for (std::size_t column = 0; column < columns; ++column)
    for (const auto& [name, member] : {std::pair(table.columns[column] + ", paper", &Value::paper),
                                       std::pair(table.columns[column], &Value::ours)}) {
      formats::BarSeries series{name, {}};
      for (const TableRow& row : table.rows)
        series.values.push_back(column < row.values.size() ? or_none(row.values[column].*member)
                                                           : kNone);
      add_if_any(chart, std::move(series));
    }
  return chart;
}

// "3" and "1.5"; none for a name.
std::optional<double> number_of(const std::string& column) {
  double number = 0;
  const char* const end = column.data() + column.size();
  const auto read = std::from_chars(column.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

formats::LineChart lines(const Table& table) {
  formats::LineChart chart;
  for (const TableRow& row : table.rows)
    for (const auto& [name, member] :
         {std::pair("paper: " + row.label, &Value::paper), std::pair(row.label, &Value::ours)}) {
      formats::Curve curve{name, {}};
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const Value& value = row.values[i];
        const auto column = number_of(table.columns[i]);
        const auto x = value.x ? value.x : column;
        if (x && (value.*member))
          (column ? curve.points : curve.apart).push_back({*x, *(value.*member)});
      }
      if (!curve.points.empty() || !curve.apart.empty()) chart.curves.push_back(std::move(curve));
    }
  constexpr std::size_t kFew = 6;  // names above a figure of the usual size
  if (chart.curves.size() > kFew) chart.size = {960, 480};
  return chart;
}

}  // namespace

std::string to_figure(const Table& table) {
  const formats::FigureLabels labels{.title = table.title,
                                     .x = table.axis.empty() ? table.corner : table.axis,
                                     .y = table.unit.substr(0, table.unit.find(';'))};
  if (table.chart == Chart::kLines) {
    formats::LineChart chart = lines(table);
    chart.labels = labels;
    return chart.curves.empty() ? "" : to_svg(chart);
  }
  if (table.chart == Chart::kNone) return "";
  formats::BarChart chart =
      table.chart == Chart::kBarsByRow ? bars_by_row(table) : bars_by_column(table);
  chart.labels = labels;
  chart.labels.x = "";
  chart.size = {960, 480};
  return chart.series.empty() ? "" : to_svg(chart);
}

}  // namespace mgdm::reproduction
