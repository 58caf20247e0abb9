#include "base/line_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace mgdm {
namespace {

// The attributes of the child: it leads a process group of its own, so that Ctrl-C does not reach
// it and its children can be killed with it. It does not inherit an ignored SIGPIPE.
class OwnGroup {
 public:
  OwnGroup() {
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~OwnGroup() { posix_spawnattr_destroy(&attributes_); }
  OwnGroup(const OwnGroup&) = delete;
  OwnGroup& operator=(const OwnGroup&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

int spawn(const std::string& command, int input, int output, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  const int failed = ::posix_spawn(&process, "/bin/sh", &actions, OwnGroup().get(), words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

}  // namespace

LineProcess::LineProcess(const std::string& command) {
  // The child's input is a socket, because MSG_NOSIGNAL keeps a write from raising SIGPIPE.
  std::array<int, 2> in{}, out{};
  int failed = 0;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0) {
    failed = errno;
  } else if (::pipe2(out.data(), O_CLOEXEC) != 0) {
    failed = errno;
    for (const int each : in) ::close(each);
  } else {
    failed = spawn(command, in[1], out[1], process_);
    ::close(in[1]);
    ::close(out[1]);
    input_ = in[0];
    output_ = out[0];
  }
  if (failed == 0) return;
  for (const int each : {input_, output_})
    if (each >= 0) ::close(each);
  throw Error(fmt::format("cannot start {}: {}", in_quotes(command), std::strerror(failed)));
}

LineProcess::~LineProcess() {
  ::close(input_);
  ::close(output_);
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool LineProcess::ends_within(int milliseconds) const {
  pollfd output{output_, POLLIN, 0};
  return ::poll(&output, 1, milliseconds) > 0 && (output.revents & POLLIN) == 0;
}

std::optional<std::string> LineProcess::ask(std::string_view line, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::string to_write = std::string(line) + '\n';
  std::string_view rest = to_write;
  while (true) {
    if (const std::size_t at = read_.find('\n'); rest.empty() && at != std::string::npos) {
      std::string reply = read_.substr(0, at);
      read_.erase(0, at + 1);
      if (reply.ends_with('\r')) reply.pop_back();
      return reply;
    }
    stop_if_interrupted();
    if (Clock::now() >= end) return std::nullopt;
    std::array<pollfd, 2> both{{{output_, POLLIN, 0}, {input_, POLLOUT, 0}}};
    constexpr int kBeat = 100;  // milliseconds between looks at the clock
    if (::poll(both.data(), rest.empty() ? 1 : 2, kBeat) <= 0) continue;
    if (!rest.empty() && both[1].revents != 0) {
      const ssize_t n = ::send(input_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return std::nullopt;
      rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
    if (both[0].revents != 0) {
      constexpr std::size_t kMostUnasked = std::size_t{1} << 20;
      std::array<char, 4096> chunk{};
      const ssize_t n = ::read(output_, chunk.data(), chunk.size());
      if (n == 0 || (n < 0 && errno != EINTR) || read_.size() > kMostUnasked) return std::nullopt;
      if (n > 0) read_.append(chunk.data(), static_cast<std::size_t>(n));
    }
  }
}

}  // namespace mgdm
