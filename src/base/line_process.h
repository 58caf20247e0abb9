// A child process that answers each line with a line.
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
  // Starts the command by /bin/sh. It shares this program's standard error. Throws an Error if the
  // command cannot be started.
  explicit LineProcess(const std::string& command);
  ~LineProcess();  // kills the command and its children
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  // Writes a line and returns the next line of the command's output. Returns none if the command
  // has ended or does not answer within `seconds`. Ctrl-C throws Interrupted.
  std::optional<std::string> ask(std::string_view line, double seconds);

  // Returns whether the command ends within `milliseconds` without any output.
  bool ends_within(int milliseconds) const;

 private:
  int input_ = -1, output_ = -1;  // ends of the command's standard input and output
  pid_t process_ = -1;
  std::string read_;  // output that no ask() has returned yet
};

}  // namespace mgdm
