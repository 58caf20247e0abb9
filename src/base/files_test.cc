#include "base/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <thread>

#include "base/error.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mgdm_files_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::ptrdiff_t count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  fs::path folder_;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
  }
  return lines;
}

TEST_F(Files, LinesOfAPipeComeAsTheyAreWritten) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::promise<void> seen;
  std::thread writer([&] {
    std::ofstream out(path("pipe"));
    out << "one\ntwo\n" << std::flush;
    seen.get_future().wait();  // a reader that waits for the end would wait for ever
    out << "three\n";
  });
  std::string_view line;
  LineReader first(path("pipe"));
  ASSERT_TRUE(first.next(line));
  EXPECT_EQ(line, "one");
  LineReader again(path("pipe"), Reading::kOnce);
  for (const char* const expected : {"one", "two"}) {
    ASSERT_TRUE(again.next(line));
    EXPECT_EQ(line, expected);
  }
  seen.set_value();
  ASSERT_TRUE(again.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_FALSE(again.next(line));
  writer.join();
}

TEST_F(Files, LinesOfAllKinds) {
  write_file(path("a"), "one\n\ntwo\r\nno newline at the end");
  EXPECT_EQ(lines_of(path("a")),
            (std::vector<std::string>{"one", "", "two", "no newline at the end"}));
  write_file(path("b"), "");
  EXPECT_TRUE(lines_of(path("b")).empty());
  write_file(path("c"), "\n");
  EXPECT_EQ(lines_of(path("c")), std::vector<std::string>{""});
  write_file(path("d"), "\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n");
  EXPECT_EQ(lines_of(path("d")), (std::vector<std::string>{"one", "\xEF\xBB\xBFtwo"}));
}

TEST_F(Files, ThatAreNoUtf8SaySo) {
  const std::string words("1\0,\0\n\0", 6), program(
                                                "\x7f"
                                                "ELF\0\0\n1,2\n",
                                                11);
  for (const auto& [text, complaint] : {std::pair{"\xff\xfe" + words, " is UTF-16"},
                                        {"\xfe\xff" + words, " is UTF-16"},
                                        {program, " is not a text file"},
                                        {"1,2\n" + words, " is not a text file"}}) {
    write_file(path("u"), text);
    LineReader reader(path("u"));
    std::string_view line;
    try {
      reader.next(line);
      FAIL() << "read";
    } catch (const Error& error) {
      EXPECT_EQ(error.seen(), path("u") + complaint);
      EXPECT_EQ(error.expected(), "UTF-8");
    }
  }
}

TEST_F(Files, LinesAcrossTheReadBuffer) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 300; ++i) {
    expected.emplace_back(i * 7, 'x');
    text += expected.back() + "\n";
  }
  expected.emplace_back(200000, 'y');
  text += expected.back();
  write_file(path("a"), text);
  EXPECT_EQ(lines_of(path("a")), expected);
}

TEST_F(Files, AnEndlessLineIsAnErrorNotAllMemory) {
  if (!fs::exists("/dev/zero")) GTEST_SKIP();
  LineReader reader("/dev/zero");
  std::string_view line;
  EXPECT_THROW(reader.next(line), Error);
}

TEST_F(Files, ReadErrorsNameThePath) {
  for (const std::string& bad : {path("missing"), folder_.string()}) {
    try {
      read_file(bad);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(bad), std::string::npos);
    }
    EXPECT_THROW(LineReader reader(bad), Error);
  }
}

TEST_F(Files, WithoutCommitTheOldFileStays) {
  write_file(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("half of the new");
    EXPECT_EQ(read_file(path("a")), "old");
  }
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(count(), 1);
  {
    AtomicFile file(path("a"));
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, ALinkAtATemporaryNameIsNotFollowed) {
  write_file(path("victim"), "old");
  for (int i = 0; i < 100; ++i)  // the names once were these
    fs::create_symlink(path("victim"), path(fmt::format("a.{}.{}.tmp", ::getpid(), i)));
  write_file(path("a"), "new");
  EXPECT_EQ(read_file(path("victim")), "old");
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_NE(temporary_name("a"), temporary_name("a"));
}

TEST_F(Files, TwoMayWriteOneFileAtATime) {
  AtomicFile one(path("a")), two(path("a"));
  one.write("one");
  two.write("two");
  one.commit();
  EXPECT_EQ(read_file(path("a")), "one");
  two.commit();
  EXPECT_EQ(read_file(path("a")), "two");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, LinksStayLinks) {
  write_file(path("a"), "old");
  fs::create_symlink(path("a"), path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(count(), 2);
  fs::remove(path("a"));
  write_file(path("link"), "no target");  // it leads nowhere, and is replaced
  EXPECT_EQ(read_file(path("link")), "no target");
}

TEST_F(Files, WhatIsOpenAlreadyIsWrittenInPlace) {
  std::FILE* const open = std::fopen(path("a").c_str(), "wb");
  ASSERT_NE(open, nullptr);
  std::fputs("before ", open);
  std::fflush(open);
  const std::string number = std::to_string(::fileno(open));
  write_file("/proc/self/fd/" + number, "ours ");
  write_file("/dev/fd/" + number, "too");
  std::fclose(open);
  EXPECT_EQ(read_file(path("a")), "before ours too");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, DevicesAreWrittenInPlace) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    EXPECT_THROW(write_file("/dev/full", "no space"), Error);
  }
}

TEST_F(Files, StandardOutputHasTwoNames) {
  for (const char* name : {"-", "/dev/stdout"}) EXPECT_TRUE(is_standard_output(name));
  EXPECT_FALSE(is_standard_output("out"));
}

TEST_F(Files, ALockHasOneHolderAtATime) {
  {
    const FileLock first(folder_);
    EXPECT_THROW(FileLock second(folder_), Error);
  }
  EXPECT_NO_THROW(FileLock again(folder_));
  EXPECT_THROW(FileLock nothing(path("nowhere")), Error);
}

}  // namespace
}  // namespace mgdm
