#include "base/compression.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "support/error_of.h"

namespace mgdm {
namespace {

class Compression : public testing::TestWithParam<const char*> {
 protected:
  ~Compression() override { std::filesystem::remove(path_); }

  std::string raw() const {  // the bytes on the disk
    std::string bytes(std::filesystem::file_size(path_), '\0');
    std::FILE* const file = std::fopen(path_.c_str(), "rb");
    EXPECT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
    std::fclose(file);
    return bytes;
  }
  void put(const std::string& bytes) const {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    EXPECT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
    std::fclose(file);
  }

  const std::string path_ =
      testing::TempDir() + "mgdm_compression_" + std::to_string(::getpid()) + ".txt" + GetParam();
};

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "line " + std::to_string(i * 7919 % 100003) + "\n";
  return text;
}

TEST_P(Compression, WhatIsWrittenReadsBack) {
  const std::string text = many_lines();
  for (const std::string& each : {std::string(), std::string("x"), text}) {
    write_file(path_, each);
    EXPECT_EQ(read_file(path_), each);
  }
  EXPECT_LT(std::filesystem::file_size(path_), text.size() / 2);
  LineReader lines(path_);
  std::size_t bytes = 0;
  for (std::string_view line; lines.next(line);) bytes += line.size() + 1;
  EXPECT_EQ(bytes, text.size());
  EXPECT_EQ(lines.line_number(), 100000u);
}

TEST_P(Compression, WhatIsReadInSmallPiecesIsWhole) {
  for (const std::size_t size : {1, 1000, 131071, 131072, 131073, 400000}) {
    const std::string text = many_lines().substr(0, size);
    write_file(path_, text);
    ByteReader bytes(path_);
    std::string all;
    char piece[100];
    while (const std::size_t n = bytes.read(piece, sizeof piece)) all.append(piece, n);
    EXPECT_TRUE(all == text) << size;
  }
}

TEST_P(Compression, FilesStandOneAfterTheOther) {
  write_file(path_, "one\n");
  const std::string one = raw();
  write_file(path_, "two\n");
  put(one + raw());
  EXPECT_EQ(read_file(path_), "one\ntwo\n");
}

TEST_P(Compression, TheContentTellsNotTheName) {
  write_file(path_, "hidden\n");
  const std::string plain_name = path_ + ".txt";
  std::filesystem::rename(path_, plain_name);
  EXPECT_EQ(read_file(plain_name), "hidden\n");
  std::filesystem::rename(plain_name, path_);
  put("plain text\n");
  EXPECT_EQ(read_file(path_), "plain text\n");
}

TEST_P(Compression, DamageIsAnErrorWithThePath) {
  write_file(path_, many_lines());
  const std::string good = raw();
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x55);
  for (const std::string& bad : {good.substr(0, good.size() / 2), good.substr(0, 5), flipped}) {
    put(bad);
    const std::string error = error_of([&] { read_file(path_); });
    EXPECT_NE(error.find(path_), std::string::npos) << bad.size() << error;
    EXPECT_NE(error.find("damaged or cut off"), std::string::npos) << bad.size() << error;
  }
}

TEST_P(Compression, APipeIsReadAgainFromItsBeginning) {
  write_file(path_, many_lines());
  const std::string pipe = path_ + ".pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&, bytes = raw()] { std::ofstream(pipe) << bytes; });
  EXPECT_EQ(read_input(pipe), many_lines());
  EXPECT_EQ(read_input(pipe), many_lines());
  std::filesystem::remove(pipe);
}

TEST_P(Compression, ASmallFileCannotFillTheMemory) {
  write_file(path_, std::string(std::size_t{20} << 20, '0'));
  EXPECT_LT(std::filesystem::file_size(path_), std::size_t{1} << 20);
  EXPECT_EQ(read_file(path_).size(), std::size_t{20} << 20);
  EXPECT_NE(error_of([&] { read_file(path_, std::size_t{1} << 20); }).find("too large"),
            std::string::npos);
}

#ifdef MGDM_HAVE_ZLIB
INSTANTIATE_TEST_SUITE_P(Gzip, Compression, testing::Values(".gz"));
#endif
#ifdef MGDM_HAVE_ZSTD
INSTANTIATE_TEST_SUITE_P(Zstd, Compression, testing::Values(".zst"));
#endif
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Compression);

}  // namespace
}  // namespace mgdm
