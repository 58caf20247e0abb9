// POST over HTTP, as much of it as talking to an endpoint takes.
#pragma once

#include <memory>
#include <string>

namespace mgdm::prompting {

// http://127.0.0.1:8080/v1 and the like, taken apart.
struct Endpoint {
  std::string origin;  // https://api.example.com
  std::string path;    // /v1/chat/completions
  bool secure = false;
};

// UsageError when it is no http:// or https:// address. What ends in /chat/completions is taken as
// it is; otherwise that is added, and /v1 before it where there is no path at all.
Endpoint parse_endpoint(const std::string& url);

struct HttpAnswer {
  int status = 0;           // 0: none came
  std::string failure;      // then: why, in words
  std::string retry_after;  // the header of that name, as it came
  std::string body;
};

class Http {
 public:
  virtual ~Http() = default;
  // From any thread. Never waits longer than its timeouts; what fails is told, not thrown.
  virtual HttpAnswer post(const std::string& body) = 0;
};

struct HttpSettings {
  Endpoint endpoint;
  std::string key = {};         // sent as a bearer; empty: none is sent
  double connect_seconds = 20;  // to be connected
  double answer_seconds = 120;  // from the request to the whole answer
};

// By cpp-httplib. An Error says what is missing where the program was built without it, or without
// OpenSSL for https.
std::unique_ptr<Http> make_http(const HttpSettings& settings);

// Whether make_http can give anything.
bool has_http();

}  // namespace mgdm::prompting
