// A table as Markdown and as JSON.
#include "reproduction/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "formats/markdown_table.h"

namespace mgdm::reproduction {

// A table as JSON, and back.

namespace {

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
  put(json, "x", value.x);
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
  value.x = get(json, "x");
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

namespace {

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

std::string ours_text(const Value& value, Footnotes& footnotes) {
  std::string text = value.ours ? number_text(*value.ours) : parts_text(value.parts);
  if (const std::string error = error_text(value); !error.empty()) text += " ± " + error;
  if (const std::string strict = strict_text(value); !strict.empty())
    text += fmt::format(" ({})", strict);
  if (const std::size_t note = footnotes.number_of(value.note); note > 0)
    text += fmt::format(" [{}]", note);
  return text;
}

formats::MarkdownTable heads_of(const Table& table) {
  using formats::Align;
  std::vector<formats::MarkdownTable::Column> heads{{table.corner}};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (has_paper(table, i)) heads.push_back({table.columns[i] + ", paper", Align::kRight});
    heads.push_back({table.columns[i] + (has_paper(table, i) ? ", here" : ""),
                     has_text(table, i) ? Align::kLeft : Align::kRight});
  }
  return formats::MarkdownTable(heads);
}

}  // namespace

std::string to_markdown(const Table& table) {
  formats::MarkdownTable out = heads_of(table);
  Footnotes footnotes;
  for (const TableRow& row : table.rows) {
    std::vector<std::string> cells{row.label};
    const std::vector<Value> values = values_of(table, row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (has_paper(table, i))
        cells.push_back(values[i].paper ? number_text(*values[i].paper) : "");
      cells.push_back(ours_text(values[i], footnotes));
    }
    out.add_row(cells);
  }
  std::string text = fmt::format("# {}\n\n", table.title);
  if (!table.where.empty()) text += fmt::format("{} ({}).\n\n", table.where, table.unit);
  text += out.text();
  for (std::size_t i = 0; i < footnotes.all().size(); ++i)  // two spaces end a line
    text += fmt::format("{}[{}] {}", i == 0 ? "\n" : "  \n", i + 1, footnotes.all()[i]);
  if (!footnotes.all().empty()) text += "\n";
  for (const std::string& note : table.notes) text += "\n" + note + "\n";
  const std::vector<std::string> commands = commands_of(table);
  if (!commands.empty()) text += "\n";
  for (const std::string& command : commands) text += "    " + command + "\n";
  return text;
}

std::string number_text(double value) {
  if (value != 0 && std::abs(value) < 1) return fmt::format("{:.2g}", value);
  const std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string strict_text(const Value& value) {
  if (!value.strict || !value.ours) return "";
  const std::string strict = number_text(*value.strict);
  return strict == number_text(*value.ours) ? "" : strict;
}

std::string error_text(const Value& value) {
  return value.error && *value.error > 0 ? fmt::format("{:.1f}", *value.error) : "";
}

bool has_paper(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return column < row.values.size() && row.values[column].paper.has_value();
  });
}

bool has_text(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const TableRow& row) {
    return column < row.values.size() && !row.values[column].parts.empty();
  });
}

std::vector<Value> values_of(const Table& table, const TableRow& row) {
  std::vector<Value> values = row.values;
  values.resize(table.columns.size());
  return values;
}

std::vector<std::string> commands_of(const Table& table) {
  std::vector<std::string> commands;
  for (const TableRow& row : table.rows)
    for (const Value& value : row.values)
      for (const std::string& command : value.commands)
        if (!contains(commands, command)) commands.push_back(command);
  return commands;
}

std::size_t Footnotes::number_of(const std::string& note) {
  if (note.empty()) return 0;
  const auto found = std::ranges::find(notes_, note);
  const auto number = static_cast<std::size_t>(found - notes_.begin()) + 1;
  if (found == notes_.end()) notes_.push_back(note);
  return number;
}

}  // namespace mgdm::reproduction
