#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "base/error.h"

namespace mgdm {
namespace {

using namespace std::chrono_literals;

// A process of our own that runs `body` and ends with its result.
class Child {
 public:
  explicit Child(const std::function<int()>& body) {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(1);
    pid_ = ::fork();
    if (pid_ == 0) {
      catch_interrupts();
      if (::write(ends[1], "", 1) != 1) ::_exit(1);
      ::_exit(body());
    }
    char ready = 0;
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }

  void send(int signal) const { ::kill(pid_, signal); }
  bool runs() { return ::waitpid(pid_, &status_, WNOHANG) == 0; }
  int status() {
    ::waitpid(pid_, &status_, 0);
    return status_;
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

int wait_for_flag() {
  while (!interrupted()) std::this_thread::sleep_for(10ms);
  return 7;
}

int wait_for_ever() {
  while (true) std::this_thread::sleep_for(10ms);
}

TEST(Interrupt, EverySignalSetsTheFlag) {
  std::signal(SIGHUP, SIG_DFL);  // whatever the tests were started under
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Child child(wait_for_flag);
    child.send(signal);
    EXPECT_EQ(WEXITSTATUS(child.status()), 7) << signal;
  }
}

TEST(Interrupt, ARepeatAtOnceIsTheSameRequestAndALaterOneEnds) {
  Child child(wait_for_ever);
  child.send(SIGTERM);
  child.send(SIGTERM);
  std::this_thread::sleep_for(200ms);
  child.send(SIGINT);
  std::this_thread::sleep_for(100ms);
  EXPECT_TRUE(child.runs());
  std::this_thread::sleep_for(1s);
  child.send(SIGTERM);
  const int status = child.status();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(Interrupt, NohupStays) {
  std::signal(SIGHUP, SIG_IGN);
  Child child(wait_for_flag);
  std::signal(SIGHUP, SIG_DFL);
  child.send(SIGHUP);
  std::this_thread::sleep_for(200ms);
  EXPECT_TRUE(child.runs());
  child.send(SIGTERM);
  EXPECT_EQ(WEXITSTATUS(child.status()), 7);
}

TEST(Interrupt, EndsAWaitForInput) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  Child child([&] {
    try {
      char byte = 0;
      wait_to_read(ends[0]);  // there is something
      if (::read(ends[0], &byte, 1) != 1 || byte != 'x') return 1;
      wait_to_read(ends[0]);  // and now nothing any more
    } catch (const Interrupted&) {
      return 7;
    }
    return 2;
  });
  pollfd left{ends[0], POLLIN, 0};
  while (::poll(&left, 1, 0) == 1) std::this_thread::sleep_for(10ms);
  child.send(SIGTERM);
  EXPECT_EQ(WEXITSTATUS(child.status()), 7);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace mgdm
