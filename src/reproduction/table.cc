#include "reproduction/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "formats/markdown_table.h"
#include "formats/svg_figure.h"

namespace mgdm::reproduction {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// "52", "51.3", "1,234.5" without the comma: at most one digit behind the point.
std::string number(double value) {
  const std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

bool any_value(const Table& table, std::size_t column, std::optional<double> Value::*member) {
  return std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return column < row.values.size() && (row.values[column].*member).has_value();
  });
}

// Markdown would take a product for emphasis.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '_' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string parts_text(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    std::string text = escaped(part.text);
    if (part.calculation_error) text = "<b>" + text + "</b>";
    if (part.planning_error) text = "<ins>" + text + "</ins>";
    out += text;
  }
  return out;
}

// Notes are numbered below the table, each once.
class Footnotes {
 public:
  std::string mark(const std::string& note) {
    if (note.empty()) return "";
    const auto [place, is_new] = numbers_.try_emplace(note, numbers_.size() + 1);
    if (is_new) notes_.push_back(note);
    return fmt::format(" [{}]", place->second);
  }
  std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < notes_.size(); ++i)
      out += fmt::format("{}[{}] {}", i == 0 ? "\n" : "  \n", i + 1, notes_[i]);
    return out.empty() ? "" : out + "\n";
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> notes_;
};

std::string ours_text(const Value& value, Footnotes& footnotes) {
  std::string text = parts_text(value.parts);
  if (value.ours) text = number(*value.ours);
  if (value.error && *value.error > 0) text += fmt::format(" ± {:.1f}", *value.error);
  if (value.strict && value.ours && std::abs(*value.strict - *value.ours) >= 0.05)
    text += fmt::format(" ({})", number(*value.strict));
  return text + footnotes.mark(value.note);
}

double or_none(const std::optional<double>& value) { return value ? *value : kNone; }

formats::BarChart bars_by_column(const Table& table) {
  formats::BarChart chart;
  for (const TableRow& row : table.rows)
    for (const auto& [name, member] :
         {std::pair("paper: " + row.label, &Value::paper), std::pair(row.label, &Value::ours)}) {
      formats::BarSeries series{name, {}};
      for (const Value& value : row.values) series.values.push_back(or_none(value.*member));
      if (std::ranges::any_of(series.values, [](double v) { return std::isfinite(v); }))
        chart.series.push_back(std::move(series));
    }
  chart.categories = table.columns;
  return chart;
}

formats::BarChart bars_by_row(const Table& table) {
  formats::BarChart chart;
  for (const TableRow& row : table.rows) chart.categories.push_back(row.label);
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    for (const auto& [name, member] : {std::pair(table.columns[column] + ", paper", &Value::paper),
                                       std::pair(table.columns[column], &Value::ours)}) {
      if (!any_value(table, column, member)) continue;
      formats::BarSeries series{name, {}};
      for (const TableRow& row : table.rows)
        series.values.push_back(column < row.values.size() ? or_none(row.values[column].*member)
                                                           : kNone);
      chart.series.push_back(std::move(series));
    }
  return chart;
}

formats::LineChart lines(const Table& table) {
  formats::LineChart chart;
  for (const TableRow& row : table.rows)
    for (const auto& [name, member] :
         {std::pair("paper: " + row.label, &Value::paper), std::pair(row.label, &Value::ours)}) {
      formats::Curve curve{name, {}};
      for (std::size_t i = 0; i < row.values.size(); ++i)
        if (const auto x = parse_int(table.columns[i]); x && (row.values[i].*member))
          curve.points.push_back({static_cast<double>(*x), *(row.values[i].*member)});
      if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
    }
  return chart;
}

void put(Json& json, const char* name, const std::optional<double>& value) {
  if (value) json[name] = *value;
}

std::optional<double> get(const Json& json, const char* name) {
  return json.contains(name) ? std::optional(json[name].get<double>()) : std::nullopt;
}

Json value_json(const Value& value) {
  Json json = Json::object();
  put(json, "paper", value.paper);
  put(json, "ours", value.ours);
  put(json, "stderr", value.error);
  put(json, "strict", value.strict);
  if (value.n > 0) json["n"] = value.n;
  for (const Part& part : value.parts)
    json["parts"].push_back({{"text", part.text},
                             {"planning_error", part.planning_error},
                             {"calculation_error", part.calculation_error}});
  if (!value.note.empty()) json["note"] = value.note;
  if (!value.commands.empty()) json["commands"] = value.commands;
  if (!value.revision.empty()) json["git_revision"] = value.revision;
  return json;
}

Value value_from(const Json& json) {
  Value value{get(json, "paper"), get(json, "ours"), get(json, "stderr"), get(json, "strict")};
  value.n = json.value("n", std::size_t{0});
  if (json.contains("parts"))
    for (const Json& part : json["parts"])
      value.parts.push_back({part.at("text"), part.at("planning_error").get<bool>(),
                             part.at("calculation_error").get<bool>()});
  value.note = json.value("note", "");
  value.commands = json.value("commands", std::vector<std::string>{});
  value.revision = json.value("git_revision", "");
  return value;
}

}  // namespace

std::string to_markdown(const Table& table) {
  using formats::Align;
  std::vector<formats::MarkdownTable::Column> heads{{table.corner}};
  std::vector<bool> has_paper;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    has_paper.push_back(any_value(table, i, &Value::paper));
    if (has_paper.back()) heads.push_back({table.columns[i] + ", paper", Align::kRight});
    const bool text = std::ranges::any_of(table.rows, [&](const TableRow& row) {
      return i < row.values.size() && !row.values[i].parts.empty();
    });
    heads.push_back({table.columns[i] + (has_paper.back() ? ", here" : ""),
                     text ? Align::kLeft : Align::kRight});
  }
  formats::MarkdownTable out(heads);
  Footnotes footnotes;
  for (const TableRow& row : table.rows) {
    std::vector<std::string> cells{row.label};
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Value value = i < row.values.size() ? row.values[i] : Value{};
      if (has_paper[i]) cells.push_back(value.paper ? number(*value.paper) : "");
      cells.push_back(ours_text(value, footnotes));
    }
    out.add_row(cells);
  }
  std::string text = fmt::format("# {}\n\n", table.title);
  if (!table.where.empty()) text += fmt::format("{} ({}).\n\n", table.where, table.unit);
  text += out.text() + footnotes.text();
  for (const std::string& note : table.notes) text += "\n" + note + "\n";
  std::vector<std::string> commands;
  for (const TableRow& row : table.rows)
    for (const Value& value : row.values)
      for (const std::string& command : value.commands)
        if (!contains(commands, command)) commands.push_back(command);
  if (!commands.empty()) {
    text += "\n";
    for (const std::string& command : commands) text += "    " + command + "\n";
  }
  return text;
}

std::string to_figure(const Table& table) {
  const formats::FigureLabels labels{.title = table.title, .x = table.corner, .y = table.unit};
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

Json to_json(const Table& table) {
  Json json{{"name", table.name},    {"title", table.title},   {"where", table.where},
            {"unit", table.unit},    {"corner", table.corner}, {"columns", table.columns},
            {"rows", Json::array()}, {"notes", table.notes}};
  for (const TableRow& row : table.rows) {
    Json values = Json::array();
    for (const Value& value : row.values) values.push_back(value_json(value));
    json["rows"].push_back({{"label", row.label}, {"values", values}});
  }
  return json;
}

Table from_json(const Json& json) {
  try {
    Table table{json.at("name"), json.at("title"), json.at("where")};
    table.unit = json.at("unit");
    table.corner = json.at("corner");
    table.columns = json.at("columns").get<std::vector<std::string>>();
    table.notes = json.at("notes").get<std::vector<std::string>>();
    for (const Json& row : json.at("rows")) {
      TableRow filled{row.at("label"), {}};
      for (const Json& value : row.at("values")) filled.values.push_back(value_from(value));
      table.rows.push_back(std::move(filled));
    }
    return table;
  } catch (const nlohmann::json::exception&) {
    throw Error("this is no table that mgdm reproduce wrote");
  }
}

}  // namespace mgdm::reproduction
