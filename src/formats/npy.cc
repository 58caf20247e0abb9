#include "formats/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 4096;
constexpr std::size_t kMostInRow = std::size_t{1} << 20;

// The unsigned number whose bytes these are, the lowest first.
std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// What stands between the first `begin` and the next `end`; nothing where one is missing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, std::min(text.size(), text.find(end)));
}

}  // namespace

NpyReader::NpyReader(const std::string& path) : path_(path), reader_(path, Reading::kFile) {
  const auto refuse = [&](const std::string& seen, const std::string& expected) -> void {
    throw Error(fmt::format("{}: {}", path_, seen), expected);
  };
  const std::string start = bytes(kMagic.size() + 2);
  if (!start.starts_with(kMagic)) refuse("not a .npy file", "a file that numpy.save wrote");
  const std::size_t length = little_endian(bytes(start[kMagic.size()] == 1 ? 2 : 4));
  if (length > kMostHeader) refuse(fmt::format("a header of {} bytes", length), "at most 4096");
  const std::string header = bytes(length);
  const std::string_view dtype = between(header, "'descr': '", "'");
  constexpr std::string_view kDtypes = "|u1 |i1 <u2 <i2 <u4 <i4 <u8 <i8";
  if (dtype.size() != 3 || kDtypes.find(dtype) == std::string_view::npos)
    refuse(fmt::format("numbers of the type {}", in_quotes(dtype)), "whole, little-endian ones");
  if (between(header, "'fortran_order': ", ",") != "False")
    refuse("an array in Fortran's order", "one in C's order");
  std::vector<std::size_t> shape;
  for (const std::string_view size : split(between(header, "'shape': (", ")"), ',')) {
    if (trim(size).empty()) continue;  // as in (1000,)
    const auto number = parse_int(trim(size));
    if (!number || *number < 0) refuse(fmt::format("a shape of {}", in_quotes(size)), "sizes");
    shape.push_back(static_cast<std::size_t>(*number));
  }
  if (shape.empty() || shape.size() > 2)
    refuse(fmt::format("an array of {} dimensions", shape.size()), "one or two");
  rows_ = shape[0];
  if (shape.size() == 2) columns_ = shape[1];
  if (columns_ < 1 || columns_ > kMostInRow)
    refuse(fmt::format("rows of {} numbers", columns_), fmt::format("1 to {}", kMostInRow));
  is_signed_ = dtype[1] == 'i';
  number_bytes_ = static_cast<std::size_t>(dtype[2] - '0');
}

std::string NpyReader::bytes(std::size_t count) {
  std::string read(count, '\0');
  for (std::size_t have = 0; have < count;) {
    const std::size_t more = reader_.read(read.data() + have, count - have);
    if (more == 0)
      throw Error(fmt::format("{}: the file ends early, in row {} of {}", path_, done_ + 1, rows_),
                  "the whole file");
    have += more;
  }
  return read;
}

bool NpyReader::next(std::vector<std::int64_t>& row) {
  if (done_ == rows_) {
    char more = 0;
    if (reader_.read(&more, 1) > 0)
      throw Error(fmt::format("{}: bytes behind the last of {} rows", path_, rows_),
                  "the array alone");
    return false;
  }
  const std::string numbers = bytes(columns_ * number_bytes_);
  ++done_;
  row.resize(columns_);
  for (std::size_t i = 0; i < columns_; ++i) {
    const std::uint64_t value =
        little_endian(std::string_view(numbers).substr(i * number_bytes_, number_bytes_));
    const std::size_t unused = 64 - 8 * number_bytes_;
    row[i] = is_signed_ ? static_cast<std::int64_t>(value << unused) >> unused
                        : static_cast<std::int64_t>(value);
  }
  return true;
}

void write_npy(const std::string& path, std::span<const std::int32_t> numbers,
               const std::vector<std::size_t>& shape) {
  std::string header =
      fmt::format("{{'descr': '<i4', 'fortran_order': False, 'shape': ({}), }}",
                  shape.size() == 1 ? fmt::format("{},", shape[0])
                                    : fmt::format("{}, {}", shape.at(0), shape.at(1)));
  // NumPy wants the array to begin at a multiple of 64 bytes, and a line break before it.
  const std::size_t before = kMagic.size() + 4;
  header.append((64 - (before + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  AtomicFile file(path);
  file.write(kMagic);
  file.write(std::string{1, 0, static_cast<char>(header.size() & 0xFF),
                         static_cast<char>(header.size() >> 8)});
  file.write(header);
  std::string bytes;
  bytes.reserve(4 * numbers.size());
  for (const std::int32_t number : numbers)
    for (int byte = 0; byte < 4; ++byte)
      bytes += static_cast<char>(static_cast<std::uint32_t>(number) >> (8 * byte));
  file.write(bytes);
  file.commit();
}

}  // namespace mgdm::formats
