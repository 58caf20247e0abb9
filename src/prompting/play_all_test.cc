#include "prompting/play_all.h"

#include <gtest/gtest.h>

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
using formats::error_of;

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
};

TEST_F(PlayAll, GivesTheSameWhateverIsParallel) {
  std::vector<Outcome> first;
  for (const std::int64_t parallel : {1, 3}) {
    FakeChat chat(right_once);
    ResultsFile results(path(std::to_string(parallel)), kFacts);
    int done = 0;
    const auto outcomes = play_all(chat, kInputs, io(), parallel, results, [&] { ++done; });
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
  {
    ResultsFile results(path("r"), kFacts);
    EXPECT_CONTAINS(error_of([&] { play_all(failing, kInputs, io(), 1, results); }),
                    "the endpoint is gone");
  }
  EXPECT_EQ(failing.asked().size(), 3u);
  FakeChat chat(right_once);
  {
    ResultsFile results(path("r"), kFacts);
    EXPECT_CONTAINS(error_of([&] { ResultsFile second(path("r"), kFacts); }), "another process");
    const auto outcomes = play_all(chat, kInputs, io(), 2, results);
    EXPECT_EQ(outcomes[0].right, 1);
    EXPECT_EQ(chat.asked().size(), 2u);
  }
  ResultsFile results(path("r"), kFacts);
  play_all(chat, kInputs, io(), 2, results);
  EXPECT_EQ(chat.asked().size(), 2u);  // all of it is known
}

TEST_F(PlayAll, DropsALineThatWasNotWrittenToItsEnd) {
  FakeChat chat(right_once);
  {
    ResultsFile results(path("r"), kFacts);
    play_all(chat, kInputs, io(), 1, results);
  }
  const std::string text = read_file(path("r"));
  write_file(path("r"), text.substr(0, text.size() - 10));
  {
    ResultsFile results(path("r"), kFacts);
    EXPECT_NE(results.find(2, kInputs[2]), nullptr);
    EXPECT_EQ(results.find(3, kInputs[3]), nullptr);
    play_all(chat, kInputs, io(), 1, results);
  }
  EXPECT_EQ(read_file(path("r")), text);
}

TEST_F(PlayAll, RefusesResultsOfAnotherRun) {
  FakeChat chat(right_once);
  {
    ResultsFile results(path("r"), kFacts);
    play_all(chat, kInputs, io(), 1, results);
  }
  EXPECT_CONTAINS(error_of([&] {
                    ResultsFile other(path("r"), {{"method", "io"}, {"model", "n"}});
                  }),
                  "model = n, was \"m\"");
  {
    ResultsFile results(path("r"), kFacts);
    EXPECT_CONTAINS(error_of([&] { play_all(chat, {"1,2,3,4,24"}, io(), 1, results); }),
                    "another puzzle as item 0");
  }
  write_file(path("x"), read_file(path("r")) + "{\"item\": 3}\n");
  EXPECT_CONTAINS(error_of([&] { ResultsFile bad(path("x"), kFacts); }),
                  "x:6: the line is no result");
  write_file(path("y"), "hello\n");
  EXPECT_CONTAINS(error_of([&] { ResultsFile bad(path("y"), kFacts); }), "y:1: ");
}

TEST_F(PlayAll, SumsUp) {
  const Summary sum = summarize({{{}, 1, true, {2, 100, 10}}, {{}, 0, true, {4, 300, 30}}});
  EXPECT_EQ(sum.n, 2u);
  EXPECT_DOUBLE_EQ(sum.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(sum.standard_error, std::sqrt(0.25 / 2));
  EXPECT_DOUBLE_EQ(sum.any, 1);
  EXPECT_DOUBLE_EQ(sum.requests, 3);
  EXPECT_DOUBLE_EQ(sum.prompt_tokens, 200);
  EXPECT_DOUBLE_EQ(sum.generated_tokens, 20);
  EXPECT_DOUBLE_EQ(Prices({2.5, 10}).of(2'000'000, 500'000), 10);
  EXPECT_EQ(summarize({}).n, 0u);
}

TEST_F(PlayAll, WhatWasPaidForIsNotPaidForAgain) {
  FakeChat chat(right_once);
  const ReplyCache cache(folder_.path() / "cache", "http://e");
  for (const char* name : {"a", "b"}) {
    CachedChat cached(chat, cache);
    ResultsFile results(path(name), kFacts);
    const auto outcomes = play_all(cached, kInputs, io(), 3, results);
    EXPECT_EQ(outcomes[0].right, 1);
    EXPECT_EQ(outcomes[0].usage, (Usage{1, 100, 10}));  // what it takes, paid now or earlier
    EXPECT_EQ(cached.paid().requests, name == std::string("a") ? 4 : 0);
  }
  EXPECT_EQ(chat.asked().size(), 4u);
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
