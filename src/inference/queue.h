// A bounded queue of many callers in front of one Solver.
//
// A thread of the queue runs the solver: questions wait for a free slot, a pass computes all slots,
// and a caller gets its answer as soon as it is done. A full queue refuses questions.
//
//   Queue queue(model.network(), {.slots = 64, .waiting = 1024});
//   const auto ticket = queue.submit(question, [](const Outcome& outcome) { ... });
//   if (!ticket) busy();
//   queue.cancel(*ticket);      // the caller no longer waits
//
// Any thread may call any function. `done`, observers and verifiers run on the queue's thread, one
// at a time, and must not call back into the queue, except submit() and cancel() from `done`, which
// must not throw.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "inference/solver.h"

namespace mgdm::inference {

struct QueueSettings {
  std::size_t slots = 64;      // most questions decoded at a time
  std::size_t waiting = 1024;  // most questions waiting
};

class Queue {
 public:
  using Ticket = std::uint64_t;
  // Called once per ticket unless it was cancelled. outcome.error has the question's error;
  // outcome.id is unused.
  using Done = std::function<void(const Outcome& outcome)>;

  explicit Queue(const LoadedNetwork& network, const QueueSettings& settings = {});
  // Callers still waiting get an Interrupted error.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // None when the queue is full.
  std::optional<Ticket> submit(Question question, Done done);

  // True: `done` of the ticket will not be called. False: it has been called or is running.
  bool cancel(Ticket ticket);

  // The number of questions that wait or are decoded.
  std::size_t size() const;

 private:
  struct Job {
    Ticket ticket;
    Question question;
    Done done;
  };
  struct Running {
    Ticket ticket;
    Done done;
  };

  void work();
  void fill_slots();
  void leave_cancelled();
  void deliver(const Outcome& outcome);

  Solver solver_;
  const QueueSettings settings_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::map<QuestionId, Running> running_;
  std::set<Ticket> cancelled_;  // of those in running_
  Ticket next_ = 0;
  bool stop_ = false;

  std::thread thread_;  // uses all of the above
};

}  // namespace mgdm::inference
