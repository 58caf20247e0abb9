// The program run as a user runs it, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/files.h"

#define EXPECT_MENTIONS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

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

  // What needs LibTorch by mgdm-train at once, everything else by mgdm, which starts in a hundredth
  // of the time.
  static std::string program_for(std::string_view arguments) {
    for (const std::string_view command : {"train", "launch", "bench", "--version"})
      if (arguments.starts_with(command)) return MGDM_PROGRAM;
    return arguments.find("--losses") == arguments.npos ? MGDM_LIGHT_PROGRAM : MGDM_PROGRAM;
  }

  // `before` is for the shell: variables, limits.
  Outcome mgdm(const std::string& arguments, const std::string& before = "",
               const std::string& input = "/dev/null", const std::string& program = "") const {
    const std::string command =
        before + " '" + (program.empty() ? program_for(arguments) : program) + "' " + arguments +
        " >'" + path("stdout") + "' 2>'" + path("stderr") + "' <'" + input + "'";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read_file(path("stdout")), read_file(path("stderr"))};
  }

  Outcome full_mgdm(const std::string& arguments) const {
    return mgdm(arguments, "", "/dev/null", MGDM_PROGRAM);
  }

  // The program without LibTorch where no other lies beside it.
  std::string lone_program() const {
    const std::filesystem::path file = folder_ / "alone/mgdm";
    if (!std::filesystem::exists(file)) {
      std::filesystem::create_directories(file.parent_path());
      std::filesystem::copy_file(MGDM_LIGHT_PROGRAM, file);
    }
    return file;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

}  // namespace mgdm
