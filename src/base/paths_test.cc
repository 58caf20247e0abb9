#include "base/paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "support/error_of.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Paths : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mgdm_paths_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "b");
    std::ofstream(folder_ / "a") << "x";
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Paths, WhatIsThere) {
  EXPECT_TRUE(is_there(folder_ / "a"));
  EXPECT_TRUE(is_there(folder_ / "b"));
  EXPECT_FALSE(is_there(folder_ / "c"));
  EXPECT_FALSE(is_there(folder_ / "a" / "below a file"));
  EXPECT_FALSE(is_there(""));
  EXPECT_FALSE(is_special(folder_ / "a"));
  EXPECT_TRUE(is_special(folder_ / "b"));
  EXPECT_TRUE(is_special("/dev/null"));
  EXPECT_FALSE(is_special(folder_ / "c"));
  EXPECT_EQ(files_in(folder_), (std::vector<fs::path>{folder_ / "a", folder_ / "b"}));
  EXPECT_TRUE(files_in(folder_ / "c").empty());
  EXPECT_TRUE(files_in(folder_ / "a").empty());
  EXPECT_EQ(full_name(folder_ / "b/../new"), full_name(folder_ / "new"));
  EXPECT_EQ(full_name("nothing-here"), full_name("./nothing-here"));
  remove_tree(folder_ / "b");
  remove_tree(folder_ / "b");
  EXPECT_FALSE(is_there(folder_ / "b"));
}

TEST_F(Paths, WhatCannotBeKnownIsAnErrorOfOurs) {
  const fs::path endless = folder_ / std::string(5000, 'x');
  const std::string too_long = error_of([&] { is_there(endless); });
  EXPECT_NE(too_long.find("cannot look at " + folder_.string()), std::string::npos) << too_long;
  EXPECT_NE(too_long.find("File name too long\n  expected: "), std::string::npos) << too_long;
  EXPECT_NE(too_long.find("\n  try: a shorter name"), std::string::npos) << too_long;
  EXPECT_LT(too_long.size(), 400u);
  EXPECT_THROW(is_special(endless), Error);
  EXPECT_THROW(files_in(endless), Error);
  EXPECT_THROW(full_name(endless), Error);
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(folder_ / "b", fs::perms::none);
  EXPECT_NE(error_of([&] { is_there(folder_ / "b/c"); }).find("permissions"), std::string::npos);
  EXPECT_THROW(files_in(folder_ / "b"), Error);
  fs::permissions(folder_ / "b", fs::perms::owner_all);
}

TEST_F(Paths, MakesAFolderAndThoseAboveIt) {
  make_folder(folder_ / "new/one");
  make_folder(folder_ / "new/one");
  EXPECT_TRUE(is_there(folder_ / "new/one"));
  EXPECT_THROW(make_folder(folder_ / "a/one"), Error);  // a is a file
}

}  // namespace
}  // namespace mgdm
