#include "prompting/play_all.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "formats/test_support.h"
#include "prompting/reply_cache.h"
#include "prompting/test_support.h"

namespace mgdm::prompting {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kInputs{"4,4,10,10,24", "2,7,8,9,24", "1,5,8,12,24", "4,7,8,8,24"};
const RunFacts kFacts{{"method", "io"}, {"model", "m"}};

MethodSettings io() {
  MethodSettings settings;
  settings.model = "m";
  return resolved(settings);
}

std::vector<std::string> right_once(const ChatRequest& request) {
  return {request.prompt.ends_with("Numbers: 4 4 10 10\n") ? "Answer: (10*10-4)/4" : "?"};
}

class PlayAll : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  formats::TemporaryFolder folder_;
  Refusals refusals_;
};

TEST_F(PlayAll, GivesTheSameWhateverIsParallel) {
  std::vector<Outcome> first;
  for (const std::int64_t parallel : {1, 3}) {
    FakeChat chat(right_once);
    int done = 0;
    const auto outcomes = play_all(chat, kInputs, io(), parallel, refusals_,
                                   [&](std::size_t, const Outcome&) { ++done; });
    EXPECT_EQ(done, 4);
    ASSERT_EQ(outcomes.size(), 4u);
    EXPECT_EQ(outcomes[0].right, 1);
    EXPECT_EQ(outcomes[1].right, 0);
    if (first.empty()) first = outcomes;
    EXPECT_EQ(outcomes, first);
  }
}

TEST_F(PlayAll, GoesOnWhereItStopped) {
  FakeChat failing([](const ChatRequest& request) {
    if (request.prompt.ends_with("Numbers: 1 5 8 12\n")) throw Error("the endpoint is gone");
    return right_once(request);
  });
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  CachedChat first(failing, cache);
  EXPECT_CONTAINS(error_of([&] { play_all(first, kInputs, io(), 1, refusals_); }),
                  "the endpoint is gone");
  EXPECT_EQ(failing.asked().size(), 3u);
  FakeChat chat(right_once);
  for (int again = 0; again < 2; ++again) {
    CachedChat cached(chat, cache);
    EXPECT_EQ(play_all(cached, kInputs, io(), 2, refusals_)[0].right, 1);
    EXPECT_EQ(chat.asked().size(), 2u);
  }
}

TEST_F(PlayAll, RefusedPuzzlesDoNotKeepTheOthersFromBeingAsked) {
  FakeChat chat([](const ChatRequest& request) {
    if (request.prompt.ends_with("Numbers: 4 4 10 10\n")) throw Refused("status 400: filtered");
    return right_once(request);
  });
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  for (const std::size_t asked : {4u, 5u}) {  // again: only what was refused
    CachedChat cached(chat, cache);
    Refusals refusals;
    EXPECT_EQ(play_all(cached, kInputs, io(), 1, refusals).size(), 3u);
    EXPECT_CONTAINS(refusals.error(4).seen(),
                    "refused 1 of 4 puzzles: 4,4,10,10,24 (status 400: filtered)");
    EXPECT_EQ(chat.asked().size(), asked);
  }
}

// It is something else, then, and nobody waits for all.
TEST_F(PlayAll, FiveRefusedPuzzlesAndNoneAnsweredAreEnough) {
  const std::vector<std::string> many(50, kInputs[0]);
  FakeChat none(
      [](const ChatRequest&) -> std::vector<std::string> { throw Refused("status 400: no"); });
  EXPECT_CONTAINS(error_of([&] { play_all(none, many, io(), 1, refusals_); }), "refused 5 of 50");
  EXPECT_CONTAINS((Refusals{many, "no"}.error(60).seen()), "; and 40 more (no)");
}

// A refused puzzle is told of although another failed after it.
TEST_F(PlayAll, RefusalsAreKnownWhenAnotherPuzzleFails) {
  FakeChat chat([](const ChatRequest& request) -> std::vector<std::string> {
    if (request.prompt.ends_with("Numbers: 4 4 10 10\n")) throw Refused("filtered");
    throw Error("gone");
  });
  EXPECT_CONTAINS(error_of([&] { play_all(chat, kInputs, io(), 1, refusals_); }), "gone");
  EXPECT_EQ(refusals_.puzzles, std::vector<std::string>{kInputs[0]});
}

TEST_F(PlayAll, WritesResultsAndRefusesThoseOfAnotherRun) {
  for (int again = 0; again < 2; ++again) {
    ResultsFile results(path("r"), kFacts);
    results.add(2, kInputs[2], {{"1"}, 0.5, true, {3, 200, 20, 1}});
    EXPECT_EQ(read_file(path("r")),
              "{\"run\":{\"method\":\"io\",\"model\":\"m\"}}\n"
              "{\"item\":2,\"input\":\"1,5,8,12,24\",\"right\":0.5,\"any\":true,"
              "\"answers\":[\"1\"],\"requests\":3,\"prompt_tokens\":200,"
              "\"generated_tokens\":20,\"uncounted_requests\":1}\n");
  }
  EXPECT_CONTAINS(error_of([&] {
                    ResultsFile other(path("r"), {{"method", "io"}, {"model", "n"}});
                  }),
                  "model = n, was m");
  write_file(path("y"), "hello\n");
  EXPECT_CONTAINS(error_of([&] { ResultsFile bad(path("y"), kFacts); }), "y has no results");
  EXPECT_EQ(read_file(path("y")), "hello\n");
}

TEST_F(PlayAll, SumsUp) {
  const Summary sum = summarize({{{}, 1, true, {2, 100, 10}}, {{}, 0, true, {4, 300, 30}}});
  EXPECT_EQ(sum.n, 2u);
  EXPECT_DOUBLE_EQ(sum.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(sum.standard_error, std::sqrt(0.25 / 2));
  EXPECT_EQ(sum.any, 1);
  EXPECT_EQ(summarize(std::vector<Outcome>(10, {{}, 1, true, {1, 1, 1}})).any, 1);
  EXPECT_DOUBLE_EQ(sum.requests, 3);
  EXPECT_DOUBLE_EQ(sum.prompt_tokens, 200);
  EXPECT_DOUBLE_EQ(sum.generated_tokens, 20);
  EXPECT_DOUBLE_EQ(Prices({2.5, 10}).of(2'000'000, 500'000), 10);
  EXPECT_EQ(summarize({}).n, 0u);
  EXPECT_EQ(summarize({{{}, 0, false, {3, 200, 20, 1}}}).uncounted, 1);
}

TEST_F(PlayAll, WhatWasPaidForIsNotPaidForAgain) {
  FakeChat chat(right_once);
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  for (const char* name : {"a", "b"}) {
    CachedChat cached(chat, cache);
    const auto outcomes = play_all(cached, kInputs, io(), 3, refusals_);
    EXPECT_EQ(outcomes[0].right, 1);
    EXPECT_EQ(outcomes[0].usage, (Usage{1, 100, 10}));  // what it takes, paid now or earlier
    EXPECT_EQ(cached.paid().requests, name == std::string("a") ? 4 : 0);
  }
  EXPECT_EQ(chat.asked().size(), 4u);
}

// What two puzzles ask at the same time is paid for once, so that another run comes to the same.
TEST_F(PlayAll, TheSameRequestIsAskedOnce) {
  std::atomic<int> number = 0;
  FakeChat chat([&](const ChatRequest&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::vector<std::string>{fmt::format("Answer: {}", number++)};
  });
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  CachedChat cached(chat, cache);
  const std::vector<std::string> same(6, kInputs[0]);
  for (const Outcome& outcome : play_all(cached, same, io(), 6, refusals_))
    EXPECT_EQ(outcome.answers, std::vector<std::string>{"0"});
  EXPECT_EQ(chat.asked().size(), 1u);
  EXPECT_EQ(cached.paid().requests, 1);
  // A request that fails, fails for every caller who waits for it.
  FakeChat failing([](const ChatRequest&) -> std::vector<std::string> {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    throw Error("gone");
  });
  CachedChat never(failing, cache);
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        if (error_of([&] { never.ask({.model = "m", .prompt = "q"}); }) == "gone") ++failed;
      });
  }
  EXPECT_EQ(failed, 4);
  EXPECT_LT(failing.asked().size(), 4u);
}

TEST_F(PlayAll, ACacheThatCannotBeWrittenIsRefusedBeforeAnythingIsPaidFor) {
  write_file(path("file"), "");
  FakeChat chat(right_once);
  for (const std::string& folder : {path("file"), std::string("/proc/nope")}) {
    const ReplyCache cache(folder, "http://e");
    CachedChat cached(chat, cache);
    EXPECT_CONTAINS(error_of([&] { cached.ask({.model = "m", .prompt = "p"}); }), folder);
  }
  EXPECT_EQ(chat.asked().size(), 0u);
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  cache.expect_writable();
  EXPECT_TRUE(fs::is_empty(folder_.path() / "cache"));
}

// The disk is full, say. What came is used, and nothing more is asked.
TEST_F(PlayAll, AReplyThatCannotBeKeptIsTheLast) {
  FakeChat chat([&](const ChatRequest& request) {
    const fs::path folder = folder_.path() / "cache";
    fs::remove_all(folder);
    write_file(folder.string(), "");  // no folder can be here any more
    return right_once(request);
  });
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  CachedChat cached(chat, cache);
  double right = 0;
  const auto keep = [&](std::size_t, const Outcome& outcome) { right += outcome.right; };
  EXPECT_CONTAINS(error_of([&] { play_all(cached, kInputs, io(), 1, refusals_, keep); }), "cache");
  EXPECT_EQ(chat.asked().size(), 1u);
  EXPECT_EQ(cached.lost(), 1);
  EXPECT_EQ(cached.paid().requests, 1);
  EXPECT_EQ(right, 1);
}

TEST_F(PlayAll, CacheKeepsApartWhatDiffers) {
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  const ChatRequest request{.model = "m", .prompt = "p"};
  EXPECT_EQ(cache.find(request), std::nullopt);
  const ChatReply reply{{"one", "tw\xc3\xb6\n"}, {1, 7, 3}};
  cache.write(request, reply);
  EXPECT_EQ(cache.find(request), reply);
  for (const auto& change : std::vector<std::function<void(ChatRequest&)>>{
           [](ChatRequest& r) { r.model = "n"; }, [](ChatRequest& r) { r.prompt = "q"; },
           [](ChatRequest& r) { r.temperature = 0; }, [](ChatRequest& r) { r.max_tokens = 1; },
           [](ChatRequest& r) { r.choices = 2; }, [](ChatRequest& r) { r.sample = 1; }}) {
    ChatRequest other = request;
    change(other);
    EXPECT_EQ(cache.find(other), std::nullopt);
  }
  EXPECT_EQ(ReplyCache(folder_.path() / "cache", "http://f").find(request), std::nullopt);
  write_file(cache.file_of(request).string(), "{\"request\": ");
  EXPECT_CONTAINS(error_of([&] { cache.find(request); }), "is damaged");
}

TEST_F(PlayAll, ThreadsMayWriteTheSameEntry) {
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  const ChatRequest request{.model = "m", .prompt = "p"};
  const ChatReply reply{{std::string(100000, 'x')}, {1, 7, 3}};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int j = 0; j < 5; ++j) {
          cache.write(request, reply);
          EXPECT_EQ(cache.find(request), reply);
        }
      });
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(cache.file_of(request).parent_path()),
                          fs::directory_iterator()),
            1);  // nothing is left of the temporary files
}

}  // namespace
}  // namespace mgdm::prompting
