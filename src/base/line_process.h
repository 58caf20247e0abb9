// A program that answers each line with a line.
//
//   LineProcess python("python3 -u verify.py");
//   std::optional<std::string> reply = python.ask("{\"input\": ...}", /*seconds=*/30);
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace mgdm {

class LineProcess {
 public:
  // By /bin/sh, with this program's standard error. Error when it cannot be started.
  explicit LineProcess(const std::string& command);
  ~LineProcess();  // ends it and all that it started
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  // Writes a line and returns the next line of the program's output. None when the program has
  // ended, or has not answered after so many seconds. Ctrl-C throws Interrupted.
  std::optional<std::string> ask(std::string_view line, double seconds);

  // Whether it ends within so many milliseconds without a word.
  bool ends_within(int milliseconds) const;

 private:
  int input_ = -1, output_ = -1;  // the program's
  pid_t process_ = -1;
  std::string read_;  // and not yet asked for
};

}  // namespace mgdm
