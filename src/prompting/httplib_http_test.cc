// The client against a server on this machine. Every call has timeouts, and so has the server.
#include "prompting/http.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "formats/test_support.h"
#include "prompting/http_chat.h"
#include "support/fake_server.h"

namespace mgdm::prompting {
namespace {

constexpr double kPatient = 20, kShort = 0.2;  // seconds

class HttplibHttp_ : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_http()) GTEST_SKIP() << "built without cpp-httplib";
  }

  static std::unique_ptr<Http> client(const FakeServer& server, double seconds,
                                      const std::string& key = "") {
    return make_http({.endpoint = parse_endpoint(server.url()),
                      .key = key,
                      .connect_seconds = seconds,
                      .answer_seconds = seconds});
  }
};

TEST_F(HttplibHttp_, SendsTheRequestAndTheKey) {
  FakeServer server([](const FakeServer::Request&) {
    return FakeAnswer{.status = 429, .body = "busy", .headers = "Retry-After: 7\r\n"};
  });
  const HttpAnswer answer = client(server, kPatient, "sk-1")->post("{\"a\": 1}");
  EXPECT_EQ(answer.status, 429) << answer.failure;
  EXPECT_EQ(answer.body, "busy");
  EXPECT_EQ(answer.retry_after, "7");
  client(server, kPatient)->post("");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_TRUE(requests[0].head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
  EXPECT_CONTAINS(requests[0].head, "\r\nAuthorization: Bearer sk-1\r\n");
  EXPECT_CONTAINS(requests[0].head, "\r\nContent-Type: application/json\r\n");
  EXPECT_EQ(requests[0].body, "{\"a\": 1}");
  EXPECT_EQ(requests[1].head.find("Authorization"), std::string::npos);
}

TEST_F(HttplibHttp_, WaitsForASlowAnswer) {
  FakeServer server([](const FakeServer::Request&) {
    return FakeAnswer{.body = chat_body({"slow"}), .delay = 0.1};
  });
  EXPECT_EQ(client(server, kPatient)->post("").body, chat_body({"slow"}));
}

TEST_F(HttplibHttp_, GivesUpOnOneThatNeverAnswers) {
  FakeServer server([](const FakeServer::Request& request) {
    return FakeAnswer{.body = "", .never = request.number == 0, .dribble = request.number == 1};
  });
  for (int i = 0; i < 2; ++i) {  // silence, then a byte now and then
    const auto start = std::chrono::steady_clock::now();
    const HttpAnswer answer = client(server, kShort)->post("");
    EXPECT_EQ(answer.status, 0);
    EXPECT_CONTAINS(answer.failure, "no whole answer within 0.2 s");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  }
}

TEST_F(HttplibHttp_, EndsAnAnswerWithoutEnd) {
  FakeServer server(
      [](const FakeServer::Request&) { return FakeAnswer{.body = "", .flood = true}; });
  const HttpAnswer answer = client(server, kPatient)->post("");
  EXPECT_EQ(answer.status, 0);
  EXPECT_CONTAINS(answer.failure, "an answer of more than 1000000 bytes");
}

TEST_F(HttplibHttp_, SaysThatNobodyIsThere) {
  std::string url;
  {
    const FakeServer server([](const FakeServer::Request&) { return FakeAnswer{}; });
    url = server.url();
  }
  const HttpAnswer answer =
      make_http({.endpoint = parse_endpoint(url), .connect_seconds = 2})->post("");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.failure, "no connection");
}

TEST_F(HttplibHttp_, TriesAgainUntilAReplyComes) {
  FakeServer server([](const FakeServer::Request& request) {
    switch (request.number) {
      case 0:
        return FakeAnswer{.status = 500, .body = "oops"};
      case 1:
        return FakeAnswer{.status = 429, .body = "", .headers = "Retry-After: 0\r\n"};
      case 2:
        return FakeAnswer{.body = "{\"choices\": ["};
      default:
        return FakeAnswer{.body = chat_body({"at last"}, 3, 2)};
    }
  });
  HttpChat chat(client(server, kPatient), server.url(), "", {.tries = 5, .first_wait = 0.01}, 0);
  const ChatReply reply = chat.ask({.model = "m", .prompt = "p"});
  EXPECT_EQ(reply, (ChatReply{{"at last"}, {1, 3, 2}}));
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(HttplibHttp_, ManyThreadsAskAtOnce) {
  FakeServer server([](const FakeServer::Request& request) {
    return FakeAnswer{.body = request.body, .delay = 0.01};
  });
  const auto http = client(server, kPatient);
  std::vector<std::string> bodies(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      threads.emplace_back([&, i] { bodies[i] = http->post("body " + std::to_string(i)).body; });
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(bodies[i], "body " + std::to_string(i));
}

}  // namespace
}  // namespace mgdm::prompting
