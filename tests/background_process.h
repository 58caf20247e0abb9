// The program in the background, for tests that send signals to it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"

namespace mgdm {

class BackgroundProcess {
 public:
  // Started by a shell: variables may stand before the program, and it must `exec`.
  BackgroundProcess(const std::string& command, const std::string& error_file) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::signal(SIGHUP, SIG_DFL);  // the tests themselves may run under nohup
    ::dup2(::open("/dev/null", O_RDWR), 0);
    ::dup2(0, 1);
    ::dup2(::open(error_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), 2);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ~BackgroundProcess() {
    if (code_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  BackgroundProcess(const BackgroundProcess&) = delete;
  BackgroundProcess& operator=(const BackgroundProcess&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }

  // Whether it has got so far as to handle that signal itself.
  bool handles(int signal) const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("SigCgt:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
    return false;
  }

  // The exit code (128 + signal when killed), or none when it still runs after that time.
  std::optional<int> wait(double seconds) {
    int status = 0;
    if (!code_ && wait_until(seconds, [&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }))
      code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return code_;
  }

  // The processes that it started, oldest first.
  std::vector<pid_t> children() const {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const auto pid = parse_int(entry.path().filename().string());
      if (!pid) continue;
      std::ifstream file(entry.path() / "stat");
      std::string number, name, state;
      pid_t parent = 0;
      if (file >> number >> name >> state >> parent && parent == pid_)
        found.push_back(static_cast<pid_t>(*pid));
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // Whether `condition` came true within that time.
  static bool wait_until(double seconds, const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

 private:
  pid_t pid_ = -1;
  std::optional<int> code_;
};

}  // namespace mgdm
