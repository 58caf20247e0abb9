#include "tokenizers/protobuf.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace mgdm::tokenizers {
namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

float Field::as_float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }

std::uint64_t Fields::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  throw Error("a number of more than ten bytes", "a protobuf message");
}

std::string_view Fields::take(std::uint64_t count) {
  if (count > rest_.size())
    throw Error(fmt::format("the file ends {} bytes early", count - rest_.size()),
                "a protobuf message");
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

std::optional<Field> Fields::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t tag = varint();
  Field field{.number = tag >> 3};
  switch (tag & 7) {
    case 0:
      field.kind = Field::Kind::kNumber;
      field.value = varint();
      return field;
    case 1:
      field.kind = Field::Kind::kFixed64;
      field.value = little_endian(take(8));
      return field;
    case 2:
      field.kind = Field::Kind::kBytes;
      field.bytes = take(varint());
      return field;
    case 5:
      field.kind = Field::Kind::kFixed32;
      field.value = little_endian(take(4));
      return field;
    default:
      throw Error(fmt::format("a field of kind {}", tag & 7), "a protobuf message");
  }
}

}  // namespace mgdm::tokenizers
