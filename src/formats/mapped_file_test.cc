#include "formats/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace mgdm::formats {
namespace {

namespace fs = std::filesystem;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

class MappedFileTest : public testing::Test {
 protected:
  ~MappedFileTest() override { fs::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_) << text; }

  const fs::path path_ =
      fs::path(testing::TempDir()) / ("mgdm_mapped_file_test_" + std::to_string(::getpid()));
};

TEST_F(MappedFileTest, OfASmallFileOutlivesWhatIsDoneToIt) {
  write("some bytes");
  const MappedFile file(path_);
  write("x");
  EXPECT_EQ(text_of(file), "some bytes");
}

TEST_F(MappedFileTest, OfALargeFileIsAsLongAsTheFile) {
  write("some bytes");
  fs::resize_file(path_, MappedFile::kMostRead + 1);  // a hole: takes no space
  const MappedFile file(path_);
  ASSERT_EQ(file.bytes().size(), MappedFile::kMostRead + 1);
  EXPECT_EQ(file.bytes()[3], std::byte{'e'});
  EXPECT_EQ(file.bytes().back(), std::byte{0});
}

TEST_F(MappedFileTest, OfAnEmptyFileIsEmpty) {
  write("");
  EXPECT_TRUE(MappedFile(path_).bytes().empty());
}

}  // namespace
}  // namespace mgdm::formats
