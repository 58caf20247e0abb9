// A team of threads that repeatedly work on one task together.
//
//   Team team(4);
//   team.run([&](int member) {   // 0, 1, 2, 3 at the same time; 0 is the caller
//     first_half(member);
//     team.meet();               // waits until all members are here
//     second_half(member);
//   });
//
// A waiting member spins for some microseconds, which usually suffices, and then sleeps.
//
// fork() does not copy threads: in a child process a team has one member, the caller.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace mgdm::runtime {

class Team {
 public:
  // At least 1; a team is smaller where the system does not start as many threads.
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return at_home() ? static_cast<int>(others_.size()) + 1 : 1; }

  // The first `taking_part` members work. Returns when all of them have. The work must not throw.
  // One call at a time.
  void run(int taking_part, const std::function<void(int member)>& work);
  void run(const std::function<void(int member)>& work) { run(members(), work); }

  // Every member that takes part must call it equally often.
  void meet();

 private:
  // A counter that one thread increases and others wait for.
  class Signal {
   public:
    std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
    void next();                               // adds one and wakes the waiting threads
    void wait_past(std::uint32_t seen) const;  // until it differs from `seen`

   private:
    std::atomic<std::uint32_t> value_ = 0;
  };

  bool at_home() const;  // whether this is the process that started the threads
  void serve(int member);

  const pid_t home_;
  const std::function<void(int)>* work_ = nullptr;  // null at a start: the thread ends
  int taking_part_ = 0;
  Signal start_, end_, met_;
  std::atomic<int> working_ = 0;  // members other than the caller that have not finished
  std::atomic<int> missing_ = 0;  // members that have not reached meet()
  std::vector<std::jthread> others_;
};

}  // namespace mgdm::runtime
