// A table as Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "formats/markdown_table.h"
#include "reproduction/table.h"
#include "reproduction/table_words.h"

namespace mgdm::reproduction {
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

}  // namespace mgdm::reproduction
