// Test helpers for this room and for rooms that read its files.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/sudoku_text.h"
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

inline std::vector<SudokuRecord> read_sudokus(const std::string& path) {
  std::vector<SudokuRecord> records;
  for_each_sudoku(path, [&](SudokuRecord&& record, auto) { records.push_back(std::move(record)); });
  return records;
}

}  // namespace mgdm::formats

#define EXPECT_CONTAINS(text, part)                          \
  EXPECT_NE(std::string(text).find(part), std::string::npos) \
      << "'" << (text) << "'\n  does not contain\n'" << (part) << "'"
