// HTTP POST, as far as endpoints need it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace mgdm::prompting {

// The parts of an address such as http://127.0.0.1:8080/v1.
struct Endpoint {
  std::string origin;  // https://api.example.com
  std::string path;    // /v1/chat/completions
  bool secure = false;
};

// Parses an http:// or https:// address; UsageError for anything else. An address that ends in
// /chat/completions is used unchanged; otherwise that is appended, after /v1 if there is no path at
// all.
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
  // Thread-safe. Never waits longer than its timeouts. Failures are returned, not thrown.
  virtual HttpAnswer post(const std::string& body) = 0;
};

struct HttpSettings {
  Endpoint endpoint;
  std::string key = {};                // sent as a bearer; empty: none is sent
  double connect_seconds = 20;         // to be connected
  double answer_seconds = 120;         // from the request to the whole answer
  std::size_t most_bytes = 1'000'000;  // of the answer: one without an end would fill the memory
};

// Uses cpp-httplib. An Error says what is missing when the program was built without it, or without
// OpenSSL for https.
std::unique_ptr<Http> make_http(const HttpSettings& settings);

// Whether the program was built with cpp-httplib.
bool has_http();

}  // namespace mgdm::prompting
