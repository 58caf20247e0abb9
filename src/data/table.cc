#include "data/table.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::data {

bool TableReader::next(std::vector<std::string>& cells) {
  std::string row;
  for (std::string_view line; lines_.next(line);) {
    if (row.empty()) {
      if (trim(line).empty() || (form_.comments && trim(line).starts_with('#'))) continue;
      first_line_ = lines_.line_number();
    }
    if (!form_.quotes) {
      const std::vector<std::string_view> all = split(line, form_.separator);
      cells.assign(all.begin(), all.end());
      return true;
    }
    row += line;
    if (std::ranges::count(row, '"') % 2 == 0) {
      cells = csv_cells(row, form_.separator);
      return true;
    }
    row += '\n';
  }
  if (!row.empty()) throw Error(at(lines_.path(), first_line_) + "a quote that nothing closes");
  return false;
}

std::optional<std::size_t> column_named(std::string_view name,
                                        const std::vector<std::string>& header) {
  const auto found = std::ranges::find_if(header, [&](const std::string& cell) {
    const std::string column = lowered(cell);
    return column == name || column == std::string(name) + 's';
  });
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

}  // namespace mgdm::data
