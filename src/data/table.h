// The rows of a CSV or TSV file. A cell in quotes may have several lines in a CSV file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace mgdm::data {

class TableReader {
 public:
  // Tabs separate cells that are taken as they are; other separators ones that may be in quotes.
  TableReader(const std::string& path, char separator, Reading reading = Reading::kAgain)
      : lines_(path, reading), separator_(separator) {}

  // The next row that is not blank; false at the end. Error where nothing closes a quote.
  bool next(std::vector<std::string>& cells);

  std::size_t line_number() const { return first_line_; }  // of the row, from 1

 private:
  LineReader lines_;
  char separator_;
  std::size_t first_line_ = 0;
};

// The column of that name in a header, in any case, one or many: "Solution", "answers".
std::optional<std::size_t> column_named(std::string_view name,
                                        const std::vector<std::string>& header);

}  // namespace mgdm::data
