#include "prompting/http_chat.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "formats/test_support.h"
#include "support/fake_server.h"

namespace mgdm::prompting {
namespace {

TEST(ChatJson, WritesWhatAnEndpointTakes) {
  ChatRequest request{.model = "m", .prompt = "a \"b\"\n", .choices = 3};
  EXPECT_EQ(request_body(request),
            R"({"model":"m","messages":[{"role":"user","content":"a \"b\"\n"}],)"
            R"("temperature":0.7,"max_tokens":1000,"n":3})");
  request.choices = 1;
  request.temperature = 0;
  EXPECT_CONTAINS(request_body(request), R"("temperature":0.0)");
  request.temperature = -1;
  request.max_tokens = 0;
  EXPECT_EQ(request_body(request),
            R"({"model":"m","messages":[{"role":"user","content":"a \"b\"\n"}]})");
}

TEST(ChatJson, ReadsRepliesAndRefusesOthers) {
  EXPECT_EQ(parse_reply(chat_body({"one", "two"}, 7, 3)), (ChatReply{{"one", "two"}, {1, 7, 3}}));
  EXPECT_EQ(parse_reply(R"({"choices":[{"message":{"content":null}}]})"),
            (ChatReply{{""}, {1, 0, 0, 1}}));
  EXPECT_EQ(parse_reply(R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},)"
                        R"({"type":"image"},{"type":"text","text":"b"}]}}]})")
                .texts,
            std::vector<std::string>{"ab"});
  EXPECT_EQ(parse_reply(R"({"choices":[{"message":{"content":[{"type":"reasoning","text":"hm"},)"
                        R"({"type":"output_text","text":"a"},"b"]}}]})")
                .texts,
            std::vector<std::string>{"ab"});
  for (const char* body : {"", "<html>", "[]", "3", "{}", R"({"choices":[]})", R"({"choices":3})",
                           R"({"choices":[{"message":{"content":3}}]})",
                           R"({"choices":[{"message":{"content":[{"type":"image"}]}}]})",
                           R"({"choices":[{"text":"x"}]})", "{\"choices\":"})
    EXPECT_NE(error_of([&] { parse_reply(body); }), "") << body;
  EXPECT_EQ(error_message(R"({"error":{"message":"no such model"}})"), "no such model");
  EXPECT_EQ(error_message(R"({"error":"busy"})"), "busy");
  EXPECT_EQ(error_message("<html>"), "");
}

// Where all tokens were used in the middle of a character.
TEST(ChatJson, ReadsHalfCharacters) {
  const auto text = [](const std::string& content) {
    return parse_reply("{\"choices\":[{\"message\":{\"content\":\"" + content + "\"}}]}").texts[0];
  };
  const std::string unknown = "\xef\xbf\xbd";
  EXPECT_EQ(text("a\\ud83d"), "a" + unknown);
  EXPECT_EQ(text("\\ud83db"), unknown + "b");
  EXPECT_EQ(text("\\ude00 \\ud83d\\ude00 \\ud83d"), unknown + " \xf0\x9f\x98\x80 " + unknown);
  EXPECT_EQ(text("\\\\ud83d \\ud83d"), "\\ud83d " + unknown);  // the first is a backslash
  EXPECT_EQ(text("a\xf0\x9f"), "a" + unknown + unknown);
}

TEST(ChatJson, CountsWhatAnswersWithoutAReplyTook) {
  EXPECT_EQ(usage_in(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})"),
            (Usage{1, 7, 3}));
  EXPECT_EQ(usage_in("<html>"), (Usage{1, 0, 0, 1}));
}

TEST(Endpoint, IsTakenApart) {
  const auto parts = [](const std::string& url) {
    const Endpoint endpoint = parse_endpoint(url);
    return endpoint.origin + " " + endpoint.path;
  };
  EXPECT_EQ(parts("https://api.example.com/v1"), "https://api.example.com /v1/chat/completions");
  EXPECT_EQ(parts("http://127.0.0.1:80"), "http://127.0.0.1:80 /v1/chat/completions");
  EXPECT_EQ(parts("http://[::1]:80/"), "http://[::1]:80 /v1/chat/completions");
  EXPECT_EQ(parts("http://a/b/v2/"), "http://a /b/v2/chat/completions");
  EXPECT_EQ(parts("http://a/x/chat/completions"), "http://a /x/chat/completions");
  for (const char* url : {"", "a.com", "ftp://a", "http://", "https:///v1", "http://me:secret@a",
                          "http://a:port", "http://a:0", "http://a/ b"})
    EXPECT_CONTAINS(error_of([&] { parse_endpoint(url); }), "--endpoint");
  for (const char* url : {"http://me:secret@a", "ftp://me:secret@a", "me:secret@a/b",
                          "https://me:se/cret@a/v1", "http://me:12/secret@a"}) {
    const std::string error = error_of([&] { parse_endpoint(url); });
    EXPECT_CONTAINS(error, "--endpoint '...@a");
    EXPECT_EQ(error.find("cret"), std::string::npos) << url;
  }
  const std::string query = error_of([] { parse_endpoint("http://a/v1?api-key=secret&v=1"); });
  EXPECT_CONTAINS(query, "--endpoint 'http://a/v1?...' has a question mark");
  const std::string both = error_of([] { parse_endpoint("http://a/v1?user=a@b&api-key=secret"); });
  EXPECT_CONTAINS(both, "--endpoint '...' has a name or password in it");
}

TEST(Retry, WaitsLongerEachTimeAndAsTheEndpointAsks) {
  const RetrySettings settings{.tries = 5, .first_wait = 1, .longest_wait = 5};
  EXPECT_EQ(wait_before_next(settings, 1, {}, 0), 1);
  EXPECT_EQ(wait_before_next(settings, 2, {}, 0), 2);
  EXPECT_EQ(wait_before_next(settings, 3, {}, 0), 4);
  EXPECT_EQ(wait_before_next(settings, 4, {}, 0), 5);
  EXPECT_EQ(wait_before_next(settings, 5, {}, 0), std::nullopt);
  EXPECT_EQ(wait_before_next(settings, 2, {}, 0.5), 1.5);
  EXPECT_EQ(wait_before_next(settings, 1, 30, 0), 30);  // longer than our own longest
  EXPECT_EQ(wait_before_next(settings, 3, 0.5, 0), 4);  // never sooner than our own
  EXPECT_EQ(wait_before_next(settings, 1, 3600, 0), std::nullopt);
}

TEST(Retry, ReadsRetryAfter) {
  EXPECT_EQ(advised_wait("7", 0), 7);
  EXPECT_EQ(advised_wait(" 0 ", 0), 0);
  EXPECT_EQ(advised_wait("Thu, 01 Jan 1970 00:01:00 GMT", 20), 40);
  EXPECT_EQ(advised_wait("Thu, 01 Jan 1970 00:00:10 GMT", 20), 0);
  for (const char* text : {"", "soon", "-1", "1.5s", "Thu, 01 Jan"})
    EXPECT_EQ(advised_wait(text, 0), std::nullopt) << text;
}

// Time that passes only where somebody sleeps.
struct FakeTime {
  double time = 0;
  std::vector<double> slept;
  Clock clock() {
    return {[this] { return time; },
            [this](double seconds) {
              slept.push_back(seconds);
              time += seconds;
            }};
  }
};

TEST(Pace, SpacesRequestsEvenly) {
  FakeTime time;
  Pace pace(30, time.clock());
  for (int i = 0; i < 3; ++i) pace.wait_for_turn();
  EXPECT_EQ(time.slept, (std::vector<double>{2, 2}));
  time.time += 100;  // time that was not used is not saved up
  for (int i = 0; i < 2; ++i) pace.wait_for_turn();
  EXPECT_EQ(time.slept, (std::vector<double>{2, 2, 2}));
  FakeTime other;
  Pace any(0, other.clock());
  for (int i = 0; i < 100; ++i) any.wait_for_turn();
  EXPECT_TRUE(other.slept.empty());
}

class ScriptedHttp : public Http {
 public:
  explicit ScriptedHttp(std::vector<HttpAnswer> answers) : answers_(std::move(answers)) {}
  HttpAnswer post(const std::string&) override {
    return answers_[std::min(next_++, answers_.size() - 1)];
  }

 private:
  std::vector<HttpAnswer> answers_;
  std::size_t next_ = 0;
};

struct Asked {
  std::string text, error;
  std::vector<double> slept;
  std::int64_t repeated = 0;
  Usage wasted;
  bool refused = false;
};

Asked ask(const std::vector<HttpAnswer>& answers, std::int64_t tries = 4,
          const std::string& key = "sk-secret") {
  FakeTime time;
  HttpChat chat(std::make_unique<ScriptedHttp>(answers), "http://e", key, {.tries = tries}, 0,
                time.clock());
  Asked asked;
  asked.error = error_of([&] {
    try {
      asked.text = chat.ask({.model = "m", .prompt = "p"}).texts.front();
    } catch (const Refused&) {
      asked.refused = true;
      throw;
    }
  });
  asked.slept = time.slept;
  asked.repeated = chat.repeated();
  asked.wasted = chat.wasted();
  return asked;
}

TEST(HttpChat, TriesAgainWhereThatHelps) {
  const HttpAnswer good{200, "", "", chat_body({"hello"})};
  const Asked asked =
      ask({{0, "no connection", "", ""}, {429, "", "9", ""}, {503, "", "", ""}, good});
  EXPECT_EQ(asked.text, "hello") << asked.error;
  EXPECT_EQ(asked.repeated, 3);
  ASSERT_EQ(asked.slept.size(), 3u);
  EXPECT_GT(asked.slept[0], 0.49);
  EXPECT_LE(asked.slept[0], 1);
  EXPECT_EQ(asked.slept[1], 9);
  EXPECT_EQ(ask({{200, "", "", "<html>"}, good}).text, "hello");
}

TEST(HttpChat, SaysWhatIsWrong) {
  EXPECT_CONTAINS(ask({{0, "no connection", "", ""}}).error, "http://e: no connection (4 tries)");
  EXPECT_CONTAINS(ask({{200, "", "", "<html>"}}, 2).error, "which is not JSON (2 tries)");
  EXPECT_CONTAINS(ask({{500, "", "", "oops"}}, 1).error, "status 500: oops (1 try)");
  EXPECT_CONTAINS(ask({{429, "", "86400", ""}}).error, "asks to wait for 86400 s");
  const Asked refused =
      ask({{401, "", "", R"({"error":{"message":"wrong key sk-secret given"}})"}});
  EXPECT_CONTAINS(refused.error, "status 401: wrong key *** given");
  EXPECT_EQ(refused.error.find("sk-secret"), std::string::npos);
  EXPECT_CONTAINS(refused.error, "--key-variable");
  EXPECT_TRUE(refused.slept.empty());
  const Asked echoed = ask({{200, "", "", "sk-secret"}}, 1);
  EXPECT_EQ(echoed.error.find("sk-secret"), std::string::npos) << echoed.error;
  // A long message that is cut shows no part of the key either.
  for (std::size_t before = 40; before < 310; ++before)
    for (const int status : {200, 500}) {
      const Asked cut = ask({{status, "", "", std::string(before, '.') + "sk-secret"}}, 1);
      EXPECT_EQ(cut.error.find("sk-"), std::string::npos) << cut.error;
    }
  EXPECT_EQ(ask({{200, "", "", chat_body({"it is sk-secret"})}}).text, "it is ***");
}

TEST(HttpChat, CountsWhatAnswersWithoutAReplyTook) {
  const HttpAnswer empty{200, "", "",
                         R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})"};
  const Asked asked = ask({empty, empty, {200, "", "", chat_body({"hello"})}});
  EXPECT_EQ(asked.text, "hello");
  EXPECT_EQ(asked.wasted, (Usage{2, 14, 6}));
}

TEST(HttpChat, TellsARefusedPromptFromAKeyThatIsWrong) {
  EXPECT_TRUE(ask({{400, "", "", R"({"error":{"message":"filtered"}})"}}).refused);
  EXPECT_FALSE(ask({{401, "", "", ""}}).refused);
  EXPECT_FALSE(ask({{404, "", "", ""}}).refused);
  EXPECT_FALSE(ask({{500, "", "", ""}}, 1).refused);
}

// As JSON of PHP and of .NET writes it.
TEST(HttpChat, HidesAKeyThatIsEscaped) {
  const std::string key = "sk-SECRET/12+34";
  for (const char* written : {R"(sk-SECRET\/12+34)", R"(sk-SECRET/12\u002B34)", "sk-SECRET/12+34",
                              R"(\u0073k-SECRET\/12\u002b34)"})
    for (const std::string& body :
         {R"({"error":{"message":"wrong )" + std::string(written) + "\"}}",
          "no JSON: " + std::string(written)})
      for (const int status : {200, 401}) {
        const Asked asked = ask({{status, "", "", body}}, 1, key);
        EXPECT_CONTAINS(asked.error, "***") << body;
        EXPECT_EQ(asked.error.find("SECRET"), std::string::npos) << asked.error;
      }
}

// Such keys are given to servers of one's own. They are parts of answers, and of JSON's own words.
TEST(HttpChat, LeavesAnswersAsTheyAreWhereTheKeyIsNoSecret) {
  for (const std::string key : {"1", "e", "*", "**", "EMPTY"}) {
    const std::string answer = "EMPTY (10 - 4) * (5 - 1) ** e";
    EXPECT_EQ(ask({{200, "", "", chat_body({answer})}}, 1, key).text, answer) << key;
    const Asked refused = ask({{401, "", "", "no " + key + " here"}}, 1, key);
    EXPECT_CONTAINS(refused.error, "***") << key;
  }
}

}  // namespace
}  // namespace mgdm::prompting
