#include "formats/checksums.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

namespace fs = std::filesystem;

class ChecksumsTest : public testing::Test {
 protected:
  ChecksumsTest() {
    write_file(path("config.json"), "{}");
    write_file(path("model"), "123456789");
    write_checksums(folder_.path());
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  void replace(const std::string& name, std::size_t at, char byte) const {
    std::string bytes = read_file(path(name));
    bytes.at(at) = byte;
    write_file(path(name), bytes);
  }

  TemporaryFolder folder_;
};

TEST_F(ChecksumsTest, ListEveryFileAndThemselves) {
  const std::string text = read_file(path(kChecksumsFile));
  EXPECT_CONTAINS(text, "e3069283  model\n");
  EXPECT_TRUE(text.ends_with("  checksums.txt\n")) << text;
  EXPECT_EQ(read_checksums(folder_.path()).size(), 2u);
  EXPECT_EQ(read_checked_file(path("model")), "123456789");
  check_files(folder_.path());
}

TEST_F(ChecksumsTest, ADamagedFileIsNamedWithWhatToDo) {
  replace("model", 4, '4');
  const std::string error = error_of([&] { read_checked_file(path("model")); });
  EXPECT_CONTAINS(error, path("model") + " is damaged");
  EXPECT_CONTAINS(error, "e3069283");
  EXPECT_CONTAINS(error, "delete " + path(kChecksumsFile));
  EXPECT_EQ(error_of([&] { check_files(folder_.path()); }), error);
  EXPECT_EQ(read_checked_file(path("config.json")), "{}");
}

TEST_F(ChecksumsTest, FilesThatAreNotListedAreNotChecked) {
  write_file(path("README.md"), "words");
  EXPECT_EQ(read_checked_file(path("README.md")), "words");
  fs::remove(path("config.json"));  // another reader says so if it needs it
  check_files(folder_.path());
  fs::remove(path(kChecksumsFile));
  replace("model", 4, '4');
  EXPECT_EQ(read_checked_file(path("model")), "123446789");
}

TEST_F(ChecksumsTest, AnyOtherByteInTheListIsNoticed) {
  const std::string text = read_file(path(kChecksumsFile));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(text[i] ^ 1);
    for (const std::string& bytes : {other, text.substr(0, i)}) {
      std::ofstream(path(kChecksumsFile)) << bytes;
      EXPECT_CONTAINS(error_of([&] { read_checksums(folder_.path()); }), "is damaged");
    }
  }
}

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
