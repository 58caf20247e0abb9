// README.md does what it says: its commands run as printed and in order, what it names exists.
//
// Run are the lines of the ```sh blocks that call ./mgdm or printf, except in blocks whose first
// line is a comment that begins with "# takes": they need a GPU or a while. A line is expected to
// end with 0, or with the N of its own comment "# exit code N".
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = MGDM_SOURCE_DIR;

std::vector<std::string> commands(const std::string& markdown) {
  std::vector<std::string> found;
  bool in_shell = false, first = false, skipped = false;
  for (const std::string_view line : split(markdown, '\n')) {
    if (line.starts_with("```")) {
      in_shell = !in_shell && line == "```sh";
      first = true;
      continue;
    }
    if (first) skipped = line.starts_with("# takes");
    first = false;
    if (in_shell && !skipped && (line.starts_with("./mgdm ") || line.starts_with("printf ")))
      found.emplace_back(line);
  }
  return found;
}

int expected_code(const std::string& command) {
  static const std::regex kCode("# exit code ([0-9]+)");
  std::smatch match;
  return std::regex_search(command, match, kCode) ? std::stoi(match[1]) : 0;
}

class Readme : public Program {
 protected:
  // A folder that looks like a checkout to the commands.
  void SetUp() override {
    Program::SetUp();
    fs::create_symlink(MGDM_PROGRAM, folder_ / "mgdm");
    fs::create_directory_symlink(kSource / "recipes", folder_ / "recipes");
    text_ = read_file(kSource / "README.md");
  }

  // Redirected before the command, whose comment would hide what comes after it.
  Outcome shell(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' && export MGDM_MODELS='" +
                             (kSource / "models").string() +
                             "' && exec >stdout 2>stderr </dev/null && " + command;
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), read_file(path("stdout")), read_file(path("stderr"))};
  }

  std::string text_;
};

TEST_F(Readme, CommandsRunAsPrinted) {
  const std::vector<std::string> all = commands(text_);
  EXPECT_GT(all.size(), 15u);
  for (const std::string& command : all) {
    if (!MGDM_GLOO && command.starts_with("./mgdm launch ")) continue;
    const Outcome outcome = shell(command);
    EXPECT_EQ(outcome.code, expected_code(command)) << command << "\n" << outcome.err;
  }
}

TEST_F(Readme, NamesWhatExists) {
  std::set<std::string> named;
  static const std::regex kLink("\\]\\(([^)#]+)"),
      kPath("(^|[^A-Za-z0-9_/.-])((recipes|docs|models|tests|bench)/[A-Za-z0-9_/-]+(\\.[a-z]+)?)");
  for (std::sregex_iterator it(text_.begin(), text_.end(), kLink), end; it != end; ++it)
    if ((*it)[1].str().find("://") == std::string::npos) named.insert((*it)[1]);
  for (std::sregex_iterator it(text_.begin(), text_.end(), kPath), end; it != end; ++it)
    named.insert((*it)[2]);
  EXPECT_GT(named.size(), 10u);
  for (const std::string& name : named) EXPECT_TRUE(fs::exists(kSource / name)) << name;
}

}  // namespace
}  // namespace mgdm
