// NumPy's .npy files: arrays of whole numbers of one or two dimensions.
//
//   NpyReader reader("all__inputs.npy");             // (1000, 81)
//   for (std::vector<std::int64_t> row; reader.next(row);) use(row);
//   write_npy("all__inputs.npy", numbers, {1000, 81});
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"

namespace mgdm::formats {

// Reads a file row by row, so a large one needs little memory. An Error names the file and what is
// wrong: another kind of number, Fortran's order, a header that is none, too few or too many bytes.
class NpyReader {
 public:
  explicit NpyReader(const std::string& path);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }  // 1 for an array of one dimension

  // Returns false after the last row.
  bool next(std::vector<std::int64_t>& row);

 private:
  std::string bytes(std::size_t count);

  std::string path_;
  ByteReader reader_;
  std::size_t rows_ = 0, columns_ = 1, done_ = 0;
  std::size_t number_bytes_ = 0;
  bool is_signed_ = false;
};

// Writes the numbers as int32, `shape` being one or two sizes whose product is their count.
void write_npy(const std::string& path, std::span<const std::int32_t> numbers,
               const std::vector<std::size_t>& shape);

}  // namespace mgdm::formats
