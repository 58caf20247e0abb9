#include "inference/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "base/error.h"
#include "decoding/fake_networks.h"

namespace mgdm::inference {
namespace {

constexpr std::size_t kVocabulary = 9, kLength = 6;

// A network that can be held up before a call, and counts rows.
class Gate : public decoding::Network {
 public:
  std::size_t vocabulary() const override { return kVocabulary; }
  void logits(const decoding::Rows& rows, std::int64_t loops, std::span<float> out) override {
    std::unique_lock lock(mutex_);
    ++calls_;
    most_rows_ = std::max(most_rows_, rows.count);
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ >= calls_; });
    lock.unlock();
    network_.logits(rows, loops, out);
  }

  void allow(std::size_t calls) {
    const std::lock_guard lock(mutex_);
    allowed_ = calls;
    changed_.notify_all();
  }
  // Until the network has been asked that often.
  void wait_for(std::size_t calls) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return calls_ >= calls; });
  }
  std::size_t most_rows() {
    const std::lock_guard lock(mutex_);
    return most_rows_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t calls_ = 0, allowed_ = 0, most_rows_ = 0;
  decoding::FunctionNetwork network_ = decoding::random_network(3, kVocabulary);
};

constexpr std::size_t kAlways = 1 << 20;

Question puzzle(std::uint32_t item, std::int64_t steps = 3) {
  Question question;
  question.puzzle.tokens.assign(kLength, 5);
  question.puzzle.frozen = {1, 1, 0, 0, 0, 0};
  question.puzzle.item = item;
  question.puzzle.settings.steps = steps;
  return question;
}

struct Fixture {
  explicit Fixture(const QueueSettings& settings = {}) {
    auto owned = std::make_unique<Gate>();
    gate = owned.get();
    network.network = std::move(owned);
    queue.emplace(network, settings);
  }
  ~Fixture() {
    gate->allow(kAlways);
    queue.reset();
  }
  Gate* gate;
  LoadedNetwork network;
  std::optional<Queue> queue;
};

// The answer to a puzzle alone.
std::vector<data::Token> alone(std::uint32_t item, std::int64_t steps = 3) {
  auto network = decoding::random_network(3, kVocabulary);
  return decoding::decode(network, {{puzzle(item, steps).puzzle}}).front().tokens;
}

TEST(Queue, AnswersManyCallersEachWithItsOwn) {
  Fixture fixture({.slots = 4, .waiting = 1000});
  fixture.gate->allow(kAlways);
  constexpr std::uint32_t kCallers = 8, kEach = 20;
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (std::uint32_t caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const std::uint32_t item = caller * kEach + i;
        std::promise<std::vector<data::Token>> promise;
        ASSERT_TRUE(fixture.queue->submit(puzzle(item), [&](const Outcome& outcome) {
          promise.set_value(outcome.first.tokens);
        }));
        if (promise.get_future().get() == alone(item)) ++right;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, static_cast<int>(kCallers * kEach));
  EXPECT_LE(fixture.gate->most_rows(), 4u);
  EXPECT_EQ(fixture.queue->size(), 0u);
}

TEST(Queue, AnswersTheQuickWhileOthersGoOn) {
  Fixture fixture;
  std::promise<void> quick, slow;
  ASSERT_TRUE(fixture.queue->submit(puzzle(1, 50), [&](const auto&) { slow.set_value(); }));
  fixture.gate->wait_for(1);
  ASSERT_TRUE(fixture.queue->submit(puzzle(2, 2), [&](const auto&) { quick.set_value(); }));
  fixture.gate->allow(10);
  quick.get_future().get();  // after three calls or so, long before the other
  auto later = slow.get_future();
  EXPECT_EQ(later.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  fixture.gate->allow(kAlways);
  later.get();
}

TEST(Queue, IsBounded) {
  Fixture fixture({.slots = 1, .waiting = 2});
  std::atomic<int> done{0};
  const auto count = [&](const auto&) { ++done; };
  ASSERT_TRUE(fixture.queue->submit(puzzle(1), count));
  fixture.gate->wait_for(1);  // it is in the slot now
  ASSERT_TRUE(fixture.queue->submit(puzzle(2), count));
  ASSERT_TRUE(fixture.queue->submit(puzzle(3), count));
  EXPECT_FALSE(fixture.queue->submit(puzzle(4), count));
  EXPECT_EQ(fixture.queue->size(), 3u);
  fixture.gate->allow(kAlways);
  while (fixture.queue->size() > 0) std::this_thread::yield();
  EXPECT_TRUE(fixture.queue->submit(puzzle(5), count));
  while (done < 4) std::this_thread::yield();
}

TEST(Queue, CancelsInLineAndInASlot) {
  Fixture fixture({.slots = 1, .waiting = 10});
  std::atomic<int> called{0};
  const auto count = [&](const auto&) { ++called; };
  const auto in_slot = fixture.queue->submit(puzzle(1, 1000), count);
  fixture.gate->wait_for(1);
  const auto in_line = fixture.queue->submit(puzzle(2), count);
  EXPECT_TRUE(fixture.queue->cancel(*in_line));
  EXPECT_FALSE(fixture.queue->cancel(*in_line));
  EXPECT_TRUE(fixture.queue->cancel(*in_slot));
  EXPECT_EQ(fixture.queue->size(), 0u);
  std::promise<void> next;
  ASSERT_TRUE(fixture.queue->submit(puzzle(3), [&](const auto&) { next.set_value(); }));
  fixture.gate->allow(kAlways);
  next.get_future().get();
  EXPECT_EQ(called, 0);
  EXPECT_FALSE(fixture.queue->cancel(999));
}

TEST(Queue, TellsErrorsToTheirOwner) {
  Fixture fixture;
  fixture.gate->allow(kAlways);
  std::promise<std::exception_ptr> bad;
  std::promise<std::vector<data::Token>> good;
  Question throwing = puzzle(1);
  throwing.observer = [](const decoding::Step&) -> bool { throw Error("no more"); };
  ASSERT_TRUE(fixture.queue->submit(std::move(throwing),
                                    [&](const Outcome& f) { bad.set_value(f.error); }));
  ASSERT_TRUE(
      fixture.queue->submit(puzzle(2), [&](const Outcome& f) { good.set_value(f.first.tokens); }));
  EXPECT_THROW(std::rethrow_exception(bad.get_future().get()), Error);
  EXPECT_EQ(good.get_future().get(), alone(2));
  // One that no slot takes.
  Question refused = puzzle(3);
  refused.puzzle.settings.order = "best";
  std::promise<std::exception_ptr> unknown;
  ASSERT_TRUE(fixture.queue->submit(std::move(refused),
                                    [&](const Outcome& f) { unknown.set_value(f.error); }));
  EXPECT_THROW(std::rethrow_exception(unknown.get_future().get()), UsageError);
}

TEST(Queue, TellsWhoeverWaitsWhenItCloses) {
  std::atomic<int> interrupted{0};
  const auto count = [&](const Outcome& outcome) {
    try {
      std::rethrow_exception(outcome.error);
    } catch (const Interrupted&) {
      ++interrupted;
    }
  };
  {
    Fixture fixture({.slots = 1, .waiting = 10});
    for (std::uint32_t item = 0; item < 3; ++item)
      ASSERT_TRUE(fixture.queue->submit(puzzle(item, 9000), count));
    fixture.gate->wait_for(1);
  }
  EXPECT_EQ(interrupted, 3);
}

}  // namespace
}  // namespace mgdm::inference
