#include "reproduction/table_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace mgdm::reproduction {

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
