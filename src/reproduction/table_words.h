// Texts of table cells that Markdown and the HTML page share.
#pragma once

#include <string>
#include <vector>

#include "reproduction/table.h"

namespace mgdm::reproduction {

// At most one digit behind the point: "52", "51.3"; more where it is small: "0.069".
std::string number_text(double value);

// The value by the strict metric, if it shows another number; otherwise empty.
std::string strict_text(const Value& value);

// "1.6"; empty where there is none.
std::string error_text(const Value& value);

// Whether the paper has a number in this column.
bool has_paper(const Table& table, std::size_t column);

// Whether a column has text rather than numbers.
bool has_text(const Table& table, std::size_t column);

// The values of a row, padded to one per column.
std::vector<Value> values_of(const Table& table, const TableRow& row);

// All commands, each once, in the order of the cells.
std::vector<std::string> commands_of(const Table& table);

// Notes of cells, each once, numbered from 1.
class Footnotes {
 public:
  // The number of a note; 0 for an empty one.
  std::size_t number_of(const std::string& note);
  const std::vector<std::string>& all() const { return notes_; }

 private:
  std::vector<std::string> notes_;
};

}  // namespace mgdm::reproduction
