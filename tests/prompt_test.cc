// mgdm prompt against an endpoint on this machine. Everything here has a deadline.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "background_process.h"
#include "base/files.h"
#include "base/text.h"
#include "program_test.h"
#include "prompting/http.h"
#include "support/fake_server.h"

namespace mgdm {
namespace {

using prompting::FakeAnswer;
using prompting::FakeServer;

class Prompt : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    if (!prompting::has_http()) GTEST_SKIP() << "built without cpp-httplib";
    write_file(path("games.jsonl"),
               "{\"input\": \"4,4,10,10,24\"}\n{\"input\": \"2,7,8,9,24\"}\n"
               "{\"input\": \"1,5,8,12,24\", \"output\": \"=24\"}\n");
  }

  std::string words(const FakeServer& server, const std::string& more) const {
    return "prompt game24 --endpoint " + server.url() + " --model m --data " + path("games.jsonl") +
           " --cache " + path("cache") + " --out " + path("out") + " " + more;
  }
  Outcome prompt(const FakeServer& server, const std::string& more,
                 const std::string& before = "MGDM_KEY=sk-1") const {
    return mgdm(words(server, "--key-variable MGDM_KEY " + more), before, "/dev/null",
                MGDM_LIGHT_PROGRAM);
  }
};

FakeAnswer one_right(const FakeServer::Request& request) {
  const bool first = request.body.find("Numbers: 4 4 10 10\\n\"") != std::string::npos;
  return {.body = prompting::chat_body({first ? "Answer: (10*10-4)/4 = 24" : "Answer: 1"}, 200, 9)};
}

TEST_F(Prompt, AsksOnceAndWritesResults) {
  FakeServer server(one_right);
  const Outcome outcome = prompt(server, "--method io --prompt-price 10 --generated-price 100");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_MENTIONS(outcome.out, "| m, io ");
  EXPECT_MENTIONS(outcome.out, "33.3 ± 27.2");
  EXPECT_MENTIONS(outcome.out, "paper: GPT-4 IO");
  EXPECT_MENTIONS(outcome.err, "3 requests, 600 prompt tokens, 27 generated tokens, $0.0087");
  const auto score = nlohmann::json::parse(read_file(path("out/score.json")));
  EXPECT_EQ(score["n"], 3);
  EXPECT_EQ(score["prompt_tokens"], 200);
  EXPECT_NEAR(score["accuracy"].get<double>(), 1.0 / 3, 1e-9);
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_MENTIONS(server.requests()[0].head, "Authorization: Bearer sk-1");
  // Nothing that was written or printed has the key in it.
  EXPECT_EQ((outcome.out + outcome.err + read_file(path("out/results.jsonl")) +
             read_file(path("out/score.json")))
                .find("sk-1"),
            std::string::npos);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("cache")))
    if (entry.is_regular_file()) {
      EXPECT_EQ(read_file(entry.path()).find("sk-1"), std::string::npos);
    }

  const Outcome again = prompt(server, "--method io");
  EXPECT_EQ(again.out, outcome.out);
  EXPECT_MENTIONS(again.err, "asked now: 0 requests");
  EXPECT_EQ(prompt(server, "--method io", "env -u MGDM_KEY").out, outcome.out);
  std::filesystem::remove_all(path("out"));  // the cache alone is enough
  EXPECT_EQ(prompt(server, "--method io").out, outcome.out);
  EXPECT_EQ(server.requests().size(), 3u);
  const Outcome other = prompt(server, "--method cot");
  EXPECT_EQ(other.code, 1);
  EXPECT_MENTIONS(other.err, "has the results of another run");
}

// A model that thinks gives no text when its tokens were too few; some endpoints count none.
TEST_F(Prompt, TellsEmptyRepliesAndTokensThatNobodyCounted) {
  FakeServer server([](const FakeServer::Request&) {
    return FakeAnswer{.body = R"({"choices":[{"message":{"content":null}}]})"};
  });
  for (int times = 0; times < 2; ++times) {  // the second time from the cache
    const Outcome outcome = prompt(server, "--method io --prompt-price 1");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_MENTIONS(outcome.out, " unknown |");
    EXPECT_MENTIONS(outcome.err, "3 replies were empty");
    EXPECT_MENTIONS(outcome.err, "--max-tokens");
    const std::string score = read_file(path("out/score.json"));
    EXPECT_EQ(score.find("_tokens\": 0"), std::string::npos) << score;
    EXPECT_EQ(score.find("dollars"), std::string::npos) << score;
    if (times == 0) {
      EXPECT_MENTIONS(outcome.err, "3 requests, whose tokens the endpoint does not tell");
    }
    std::filesystem::remove_all(path("out"));
  }
}

TEST_F(Prompt, SaysInOneSentenceWhatIsWrong) {
  FakeServer server(
      [](const FakeServer::Request&) { return FakeAnswer{.body = "", .never = true}; });
  const Outcome no_key = prompt(server, "", "env -u MGDM_KEY");
  EXPECT_EQ(no_key.code, 1);
  EXPECT_MENTIONS(no_key.err, "there is no key in the environment variable MGDM_KEY");
  EXPECT_TRUE(server.requests().empty());
  const Outcome silent = prompt(server, "--timeout 0.2 --tries 1 --parallel 2");
  EXPECT_EQ(silent.code, 1);
  EXPECT_MENTIONS(silent.err, "no whole answer within 0.2 s (1 try)");
  write_file(path("games.jsonl"), "{\"input\": \"4,4,10,10,25\"}\n");
  const Outcome target = prompt(server, "");
  EXPECT_EQ(target.code, 1);
  EXPECT_MENTIONS(target.err, "games.jsonl:1: the target of");
  write_file(path("games.jsonl"), "{\"input\": \"4,4,10,10,24\"}\n");
  std::filesystem::remove_all(path("cache"));
  write_file(path("cache"), "");
  const std::size_t asked = server.requests().size();
  const Outcome no_cache = prompt(server, "");
  EXPECT_EQ(no_cache.code, 1);
  EXPECT_EQ(no_cache.err.find("every reply"), std::string::npos) << no_cache.err;
  EXPECT_EQ(server.requests().size(), asked);
  EXPECT_EQ(mgdm("prompt game24 --endpoint nowhere --model m --data x").code, 2);
  EXPECT_EQ(mgdm("prompt chess --endpoint http://x --model m --data x").code, 2);
}

// Some replies counted and others not: what is known is no more than a part.
TEST_F(Prompt, SaysWhereTokensAreNotAllCounted) {
  FakeServer server([](const FakeServer::Request& request) {
    FakeAnswer answer = one_right(request);
    if (request.number == 1) answer.body = R"({"choices":[{"message":{"content":"Answer: 2"}}]})";
    return answer;
  });
  const Outcome outcome = prompt(server, "--method io --prompt-price 1 --parallel 1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_MENTIONS(outcome.out, "133 or more");
  EXPECT_MENTIONS(outcome.err, "and those of 1 that the endpoint did not count");
  EXPECT_EQ(nlohmann::json::parse(read_file(path("out/score.json")))["uncounted_requests"], 1);
}

// A content filter, say: the others have a score all the same.
TEST_F(Prompt, ScoresThePuzzlesThatAreNotRefused) {
  FakeServer server([](const FakeServer::Request& request) -> FakeAnswer {
    if (request.body.find("Numbers: 2 7 8 9\\n\"") != std::string::npos)
      return {.status = 400, .body = R"({"error":{"message":"filtered"}})"};
    return one_right(request);
  });
  const Outcome outcome = prompt(server, "--method io");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_MENTIONS(outcome.out, "50.0 ± 35.4");
  EXPECT_MENTIONS(outcome.err, "refused 1 of 3 puzzles: 2,7,8,9,24 (");
  const auto score = nlohmann::json::parse(read_file(path("out/score.json")));
  EXPECT_EQ(score["n"], 2);
  EXPECT_EQ(score["refused"], 1);
}

// What was asked before Ctrl-C is waited for, kept, and not asked again.
TEST_F(Prompt, CtrlCLosesNothingThatWasPaidFor) {
  FakeServer slow([](const FakeServer::Request& request) {
    FakeAnswer answer = one_right(request);
    answer.delay = 0.5;
    return answer;
  });
  BackgroundProcess process(
      "exec '" MGDM_LIGHT_PROGRAM "' " + words(slow, "--no-key --method io --parallel 2"),
      path("stderr"));
  ASSERT_TRUE(BackgroundProcess::wait_until(10, [&] { return slow.requests().size() == 2; }));
  process.send(SIGINT);
  EXPECT_EQ(process.wait(10), 130) << read_file(path("stderr"));
  EXPECT_MENTIONS(read_file(path("stderr")), "asked now: 2 requests");
  EXPECT_EQ(slow.requests().size(), 2u);
  EXPECT_EQ(mgdm(words(slow, "--no-key --method io"), "", "/dev/null", MGDM_LIGHT_PROGRAM).code, 0);
  EXPECT_EQ(slow.requests().size(), 3u);
}

}  // namespace
}  // namespace mgdm
