// A reader of protobuf's wire format: the fields of a message, one after another.
//
// Debian's libsentencepiece is not used because it loads the protobuf library, and a process with
// that and LibTorch's own copy of protobuf crashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mgdm::tokenizers {

struct Field {
  std::uint64_t number = 0;
  enum class Kind { kNumber, kFixed64, kBytes, kFixed32 } kind = Kind::kNumber;
  std::uint64_t value = 0;   // of numbers, and the bits of fixed ones
  std::string_view bytes{};  // texts and messages inside

  float as_float() const;  // of kFixed32
};

class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  // None at the end. Error when the bytes are not a message.
  std::optional<Field> next();

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
};

}  // namespace mgdm::tokenizers
