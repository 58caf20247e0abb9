// A table as GitHub's Markdown renders it, aligned so that it can be read as plain text too.
//
//   MarkdownTable table({{"task"}, {"accuracy", Align::kRight}});
//   table.add_row({"sudoku", "99.8"});
//   table.text();
//
// | task   | accuracy |
// |:-------|---------:|
// | sudoku |     99.8 |
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mgdm::formats {

enum class Align { kLeft, kRight };

class MarkdownTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit MarkdownTable(std::vector<Column> columns);

  // One cell per column. Text is kept as Markdown, except that '|' is escaped and a line break
  // becomes <br>, since either would end the cell.
  void add_row(const std::vector<std::string>& cells);

  // Every line ends in '\n'. Where lines would be longer than `columns`, the widest cells go on in
  // rows of their own.
  std::string text(std::size_t columns = static_cast<std::size_t>(-1)) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mgdm::formats
