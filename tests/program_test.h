// The program run as a user runs it, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"

namespace mgdm {

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Program : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("mgdm_cli_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  // `before` is for the shell: variables, limits.
  Outcome mgdm(const std::string& arguments, const std::string& before = "",
               const std::string& input = "/dev/null",
               const std::string& program = MGDM_PROGRAM) const {
    const std::string command = before + " '" + program + "' " + arguments + " >'" +
                                path("stdout") + "' 2>'" + path("stderr") + "' <'" + input + "'";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read_file(path("stdout")), read_file(path("stderr"))};
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

}  // namespace mgdm
