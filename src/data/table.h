// Reads the rows of a table: a CSV or TSV file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace mgdm::data {

struct TableForm {
  char separator = ',';
  bool quotes = true;     // cells may stand in quotes and then have several lines
  bool comments = false;  // lines that begin with '#' are not rows
};

class TableReader {
 public:
  TableReader(const std::string& path, TableForm form, Reading reading = Reading::kAgain)
      : lines_(path, reading), form_(form) {}

  // Reads the next row that is not blank. Returns false at the end. Throws an Error if a quote is
  // not closed.
  bool next(std::vector<std::string>& cells);

  // The line on which the row begins, from 1.
  std::size_t line_number() const { return first_line_; }

 private:
  LineReader lines_;
  TableForm form_;
  std::size_t first_line_ = 0;
};

// Finds the column of that name in a header. Upper case and a plural count as the same name:
// "Solution", "answers".
std::optional<std::size_t> column_named(std::string_view name,
                                        const std::vector<std::string>& header);

}  // namespace mgdm::data
