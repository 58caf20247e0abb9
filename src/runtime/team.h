// Threads that work on one thing together, again and again.
//
//   Team team(4);
//   team.run([&](int member) {   // 0, 1, 2, 3 at the same time; 0 is the caller
//     first_half(member);
//     team.meet();               // nobody goes on before all are here
//     second_half(member);
//   });
//
// Who waits looks again and again for some microseconds, because that is how long it usually takes,
// and then sleeps.
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
  explicit Team(int members);  // at least 1
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return at_home() ? static_cast<int>(others_.size()) + 1 : 1; }

  // The first `taking_part` members work. Returns when all of them have. The work must not throw.
  // One call at a time.
  void run(int taking_part, const std::function<void(int member)>& work);
  void run(const std::function<void(int member)>& work) { run(members(), work); }

  // Called by everybody who takes part, equally often.
  void meet();

 private:
  // A number that one thread changes and others wait for.
  class Signal {
   public:
    std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
    void next();                               // adds one and wakes who waits
    void wait_past(std::uint32_t seen) const;  // until it is another than `seen`

   private:
    std::atomic<std::uint32_t> value_ = 0;
  };

  bool at_home() const;  // in the process whose threads these are
  void dismiss();        // ends the others
  void serve(int member);

  const pid_t home_;
  const std::function<void(int)>* work_ = nullptr;  // null in a start means: go home
  int taking_part_ = 0;
  Signal start_, end_, met_;
  std::atomic<int> working_ = 0;  // members other than the caller that have not finished
  std::atomic<int> missing_ = 0;  // those that have not come to the meeting
  std::vector<std::jthread> others_;
};

}  // namespace mgdm::runtime
