// Test helpers for this room and for rooms that read its files.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "formats/records.h"
#include "formats/sudoku_cells.h"
#include "support/error_of.h"

namespace mgdm::formats {

// An empty folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mgdm_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The Sudokus of a file, each with the number of its line. What is none goes to on_bad.
inline void for_each_sudoku(const std::string& path,
                            const std::function<void(SudokuRecord&&, std::size_t line)>& use,
                            const OnBadLine& on_bad = {}) {
  const Rules rules{Rules::Lines::kSudoku};
  for_each_record(
      path, rules,
      [&](const Record& record) {
        auto found = unless_bad(on_bad, [&] {
          return with_location(path, record.line, [&] {
            const auto puzzle = puzzle_of(record, rules);
            const auto cells = puzzle ? find_sudoku(puzzle->puzzle) : std::nullopt;
            if (!cells) throw Error("no puzzle in " + in_quotes(puzzle ? puzzle->puzzle : ""));
            SudokuRecord sudoku{*cells, std::nullopt};
            if (!puzzle->answer.empty()) sudoku.solution = puzzle->answer;
            return sudoku;
          });
        });
        if (found) use(*std::move(found), record.line);
      },
      on_bad);
}

inline std::vector<SudokuRecord> read_sudokus(const std::string& path) {
  std::vector<SudokuRecord> records;
  for_each_sudoku(path, [&](SudokuRecord&& record, auto) { records.push_back(std::move(record)); });
  return records;
}

}  // namespace mgdm::formats

#define EXPECT_CONTAINS(text, part)                          \
  EXPECT_NE(std::string(text).find(part), std::string::npos) \
      << "'" << (text) << "'\n  does not contain\n'" << (part) << "'"
