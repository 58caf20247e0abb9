#include "formats/markdown_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  const std::string cell = printable(mgdm::trim(text), "\r\n");
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '|') {
      out += "\\|";
    } else if (cell[i] == '\n' || cell[i] == '\r') {
      if (cell.compare(i, 2, "\r\n") == 0) ++i;
      out += "<br>";
    } else {
      out += cell[i];
    }
  }
  return out;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t spaces = width - count_code_points(text);
  return align == Align::kRight ? std::string(spaces, ' ') + text : text + std::string(spaces, ' ');
}

// ":---" or "---:", as wide as the cell with its two spaces.
std::string rule(std::size_t width, Align align) {
  std::string line(width + 2, '-');
  (align == Align::kRight ? line.back() : line.front()) = ':';
  return line;
}

}  // namespace

MarkdownTable::MarkdownTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  MGDM_CHECK(!columns_.empty());
  for (Column& column : columns_) column.title = escaped(column.title);
}

void MarkdownTable::add_row(const std::vector<std::string>& cells) {
  MGDM_CHECK(cells.size() == columns_.size());
  std::vector<std::string>& row = rows_.emplace_back();
  for (const std::string& cell : cells) row.push_back(escaped(cell));
}

std::string MarkdownTable::text(std::size_t columns) const {
  const auto width_of = [&](std::size_t c, const auto& rows) {
    std::size_t width = std::max<std::size_t>(1, count_code_points(columns_[c].title));
    for (const auto& row : rows) width = std::max(width, count_code_points(row[c]));
    return width;  // at least 1: GitHub wants three dashes or colons
  };
  std::vector<std::size_t> widths;
  std::size_t total = 1;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    total += widths.emplace_back(width_of(c, rows_)) + 3;
  constexpr std::size_t kLeast = 20;
  for (; total > columns; --total) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= kLeast) break;
    --*widest;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : rows_) {
    const std::size_t first = rows.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = wrapped(row[c], widths[c]);
      std::size_t r = first;
      for (const std::string_view part : split(cell, '\n')) {
        if (r == rows.size()) rows.emplace_back(columns_.size());
        rows[r++][c] = part;
      }
    }
  }
  std::string head = "|", line = "|";
  std::vector<std::string> body(rows.size(), "|");
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto& [title, align] = columns_[c];
    const std::size_t width = width_of(c, rows);
    head += ' ' + padded(title, width, align) + " |";
    line += rule(width, align) + '|';
    for (std::size_t r = 0; r < rows.size(); ++r)
      body[r] += ' ' + padded(rows[r][c], width, align) + " |";
  }
  std::string out = head + '\n' + line + '\n';
  for (const std::string& row : body) out += row + '\n';
  return out;
}

}  // namespace mgdm::formats
