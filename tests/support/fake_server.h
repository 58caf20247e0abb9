// An endpoint for tests on 127.0.0.1 that answers by a script. Every connection has its own thread
// and ends within seconds, whatever its client does.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mgdm::prompting {

struct FakeAnswer {
  int status = 200;
  std::string body;
  std::string headers = {};  // "Retry-After: 1\r\n"
  double delay = 0;          // seconds before it
  bool never = false;        // instead of it: silence
  bool dribble = false;      // instead of it: a byte now and then, without end
  bool flood = false;  // instead of it: a body of no told length, without end, as fast as can be
};

// The JSON of an endpoint that gives these texts.
std::string chat_body(const std::vector<std::string>& texts, int prompt_tokens = 10,
                      int generated_tokens = 5);

class FakeServer {
 public:
  struct Request {
    int number = 0;  // from 0, in the order they came
    std::string head, body;
  };
  using Script = std::function<FakeAnswer(const Request& request)>;  // from several threads

  explicit FakeServer(Script script);
  ~FakeServer();  // within seconds
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string url() const;
  std::vector<Request> requests() const;

 private:
  void accept_all();
  void serve(int connection);
  // Until that time is over, the client has gone or the server stops.
  void wait(int connection, double seconds) const;

  const Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;  // guards requests_
  std::vector<Request> requests_;
  std::vector<std::jthread> connections_;  // of the thread below only
  std::jthread acceptor_;
};

}  // namespace mgdm::prompting
