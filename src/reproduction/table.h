// A table of the paper with measured values: the paper's number beside ours.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mgdm::reproduction {

using Json = nlohmann::ordered_json;

// A piece of an answer, with what is wrong with it.
struct Part {
  std::string text;
  bool planning_error = false, calculation_error = false;
};

struct Value {
  std::optional<double> paper = {};
  std::optional<double> ours = {};
  std::optional<double> error = {};   // one standard error of ours
  std::optional<double> strict = {};  // ours by the strict metric, where it is another
  std::size_t n = 0;                  // puzzles
  std::optional<double> x = {};       // where lines have it, unless at the number of its column
  std::vector<Part> parts = {};       // text instead of a number
  std::string note = {};              // "not trained", "step 300 of 5000"
  std::vector<std::string> commands = {};
  std::string revision = {};  // of the program that measured
};

struct TableRow {
  std::string label;
  std::vector<Value> values;  // one per column
};

// The figure of a table: bars grouped by column or by row, or lines over numeric columns. A value
// with its own x in another column is drawn as a ring beside the line of its row.
enum class Chart { kNone, kBarsByColumn, kBarsByRow, kLines };

struct Table {
  std::string name, title, where;  // where: "Table 1 of the paper"
  std::string corner = {};         // the heading of the labels
  std::string axis = {};           // what lines go over; the corner where empty
  std::vector<std::string> columns = {};
  std::vector<TableRow> rows = {};
  std::string unit = "accuracy, %";  // of several, after a semicolon, bars have the first
  Chart chart = Chart::kNone;
  std::size_t charted = 0;              // columns of it that bars show, from the first on; 0: all
  std::vector<std::string> notes = {};  // sentences below it
};

std::string to_markdown(const Table& table);

// "" where there is nothing to draw.
std::string to_figure(const Table& table);

Json to_json(const Table& table);
// Error when the JSON is not from to_json.
Table from_json(const Json& json);

// Texts of table cells that Markdown and the HTML page share.

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
