// Puzzles of many callers on one engine.
//
// A thread of the queue's own runs the engine: puzzles wait in line until one of the slots is free,
// every pass asks the network about all of those in slots, and whoever is done is told at once
// while the others go on. The line is bounded: a full queue refuses instead of growing.
//
//   Queue queue(engine, {.slots = 64, .waiting = 1024});
//   const auto ticket = queue.submit(request, [](const decoding::Finished& finished) { ... });
//   if (!ticket) busy();
//   queue.cancel(*ticket);      // the caller has gone
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
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "inference/engine.h"

namespace mgdm::inference {

struct QueueSettings {
  std::size_t slots = 64;      // decoded at the same time, at most
  std::size_t waiting = 1024;  // in line behind them, at most
};

class Queue {
 public:
  using Ticket = std::uint64_t;
  // Called once for every ticket that was not cancelled. An error of the puzzle is in
  // finished.error; its slot number means nothing.
  using Done = std::function<void(const decoding::Finished& finished)>;

  Queue(std::shared_ptr<Engine> engine, const QueueSettings& settings = {});
  // Whoever still waits is told with an error (Interrupted).
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // None when the line is full.
  std::optional<Ticket> submit(decoding::Request request, Done done);

  // `done` of the ticket will not be called after this returns true; false when it was called
  // already, or is just being called.
  bool cancel(Ticket ticket);

  // Waiting and being decoded.
  std::size_t size() const;

 private:
  struct Job {
    Ticket ticket;
    decoding::Request request;
    Done done;
  };
  struct Running {
    Ticket ticket;
    Done done;
  };

  void work();
  void fill_slots();
  void leave_cancelled();
  void deliver(const decoding::Finished& finished);

  const std::shared_ptr<Engine> engine_;
  const QueueSettings settings_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::map<decoding::SlotId, Running> running_;
  std::set<Ticket> cancelled_;  // of those in running_
  Ticket next_ = 0;
  bool stop_ = false;

  std::thread thread_;  // uses all of the above
};

}  // namespace mgdm::inference
