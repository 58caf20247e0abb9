// The one file that knows cpp-httplib. Without it (MGDM_HAVE_HTTPLIB) the program says so.
#ifdef MGDM_HAVE_HTTPLIB
#include <fmt/format.h>
#include <httplib.h>
#endif

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "prompting/http.h"

namespace mgdm::prompting {

#ifdef MGDM_HAVE_HTTPLIB
namespace {

std::string words_for(httplib::Error error, double seconds, bool late) {
  if (late) return fmt::format("no whole answer within {:g} s", seconds);
  switch (error) {
    case httplib::Error::Connection:
      return "no connection";
    case httplib::Error::ConnectionTimeout:
      return "no connection in time";
    case httplib::Error::Read:
      return "the connection broke before the answer was there";
    case httplib::Error::Write:
      return "the connection broke before the request was sent";
    case httplib::Error::SSLConnection:
      return "the secure connection failed";
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification:
      return "the certificate of the endpoint could not be verified";
    default:
      return "the request failed: " + httplib::to_string(error);
  }
}

// Ends a call that is not over in time, however slowly bytes keep coming.
class Deadline {
 public:
  Deadline(httplib::Client& client, double seconds)
      : thread_([this, &client, seconds] {
          std::unique_lock lock(mutex_);
          while (!over_.wait_for(lock, std::chrono::duration<double>(late_ ? 0.1 : seconds),
                                 [this] { return done_; })) {
            late_ = true;
            client.stop();  // again and again: it may have been connecting
          }
        }) {}
  ~Deadline() { end(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  bool is_late() {
    const std::lock_guard lock(mutex_);
    return late_;
  }

  // Whether it was late.
  bool end() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    over_.notify_all();
    if (thread_.joinable()) thread_.join();
    return late_;
  }

 private:
  std::mutex mutex_;  // guards the two
  std::condition_variable over_;
  bool done_ = false, late_ = false;
  std::thread thread_;
};

class HttplibHttp : public Http {
 public:
  explicit HttplibHttp(HttpSettings settings) : settings_(std::move(settings)) {}

  HttpAnswer post(const std::string& body) override {
    httplib::Client client(settings_.endpoint.origin);
    const auto milliseconds = [](double seconds) {
      return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
    };
    client.set_connection_timeout(
        milliseconds(std::min(settings_.connect_seconds, settings_.answer_seconds)));
    client.set_read_timeout(milliseconds(settings_.answer_seconds));
    client.set_write_timeout(milliseconds(settings_.answer_seconds));
    client.set_keep_alive(false);
    client.set_follow_location(false);  // the key is for this machine only
    httplib::Request request;
    request.method = "POST";
    request.path = settings_.endpoint.path;
    request.headers.emplace("Content-Type", "application/json");
    if (!settings_.key.empty()) request.headers.emplace("Authorization", "Bearer " + settings_.key);
    request.body = body;
    const auto start = std::chrono::steady_clock::now();
    Deadline deadline(client, settings_.answer_seconds);
    std::string text;
    bool too_long = false;
    request.content_receiver = [&](const char* data, std::size_t n, std::uint64_t, std::uint64_t) {
      too_long = text.size() + n > settings_.most_bytes;
      if (!too_long) text.append(data, n);
      return !too_long && !deadline.is_late();
    };
    const httplib::Result result = client.send(request);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool late = deadline.end() || took.count() >= settings_.answer_seconds;
    if (too_long)
      return {0, fmt::format("an answer of more than {} bytes", settings_.most_bytes), "", ""};
    if (!result) return {0, words_for(result.error(), settings_.answer_seconds, late), "", ""};
    return {result->status, "", result->get_header_value("Retry-After"), std::move(text)};
  }

 private:
  HttpSettings settings_;
};

}  // namespace

bool has_http() { return true; }

std::unique_ptr<Http> make_http(const HttpSettings& settings) {
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
  if (settings.endpoint.secure)
    throw Error("https needs OpenSSL, which this mgdm was built without", "an http:// endpoint",
                "install libssl-dev and build again");
#endif
  // An endpoint that hangs up while we still write is a failed request, not the end of the program.
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<HttplibHttp>(settings);
}

#else

bool has_http() { return false; }

std::unique_ptr<Http> make_http(const HttpSettings&) {
  throw Error("asking an endpoint needs cpp-httplib, which this mgdm was built without", "",
              "install libcpp-httplib-dev and build again");
}

#endif

}  // namespace mgdm::prompting
