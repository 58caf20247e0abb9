#include "formats/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace mgdm::formats {
namespace {

TEST(Crc32c, PublishedVectors) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c_by_tables("123456789"), 0xE3069283u);
}

TEST(Crc32c, IsTheSameByTablesAndInPieces) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += static_cast<char>(i * 37 + i / 7);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string_view some = std::string_view(bytes).substr(0, size);
    const std::uint32_t whole = crc32c(some);
    EXPECT_EQ(crc32c_by_tables(some), whole) << size;
    EXPECT_EQ(crc32c(some.substr(size / 3), crc32c(some.substr(0, size / 3))), whole) << size;
  }
}

TEST(Crc32c, MaskRotatesAndAdds) {
  EXPECT_EQ(masked_crc(0), 0xA282EAD8u);
  EXPECT_EQ(masked_crc(0x00008000u), 0xA282EAD9u);
  EXPECT_EQ(masked_crc(1), 0xA284EAD8u);
}

}  // namespace
}  // namespace mgdm::formats
