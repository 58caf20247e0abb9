// A model behind an OpenAI-compatible endpoint. It repeats failed requests if that helps, keeps to
// a pace, and reports other failures in one sentence.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "prompting/chat.h"
#include "prompting/http.h"

namespace mgdm::prompting {

// The body of POST /v1/chat/completions.
std::string request_body(const ChatRequest& request);

// Parses the reply in an endpoint's answer. An Error for anything else (no JSON, no choices); it
// shows `shown` in place of the answer, which may contain secrets.
ChatReply parse_reply(std::string_view body, std::string_view shown);
inline ChatReply parse_reply(std::string_view body) { return parse_reply(body, body); }

// The token counts in an answer; uncounted if it has none.
Usage usage_in(std::string_view body);

// The error message of an endpoint in its own words; empty if there is none.
std::string error_message(std::string_view body);

// Decides whether a failed request is repeated, and how long to wait first.
struct RetrySettings {
  std::int64_t tries = 6;        // in all
  double first_wait = 1;         // seconds; twice as long each time,
  double longest_wait = 60;      // but no longer than this,
  double longest_advised = 600;  // or what the endpoint asks for, up to this
};

// True when nothing came back, or the endpoint is busy (429) or broken (408, 5xx).
bool worth_another_try(const HttpAnswer& answer);

// Parses Retry-After: seconds, or a date (`now` in seconds since 1970). None for anything else.
std::optional<double> advised_wait(const std::string& retry_after, double now);

// The seconds to wait after so many failed tries; none when no further try follows. `chance` in [0,
// 1) shortens the wait by up to a half, so that clients that failed together do not return
// together.
std::optional<double> wait_before_next(const RetrySettings& settings, std::int64_t failed,
                                       std::optional<double> advised, double chance);

// Waiting that Ctrl-C interrupts and tests can skip.
struct Clock {
  std::function<double()> now;                // seconds, never going back
  std::function<void(double seconds)> sleep;  // Interrupted when Ctrl-C comes first
};

Clock real_clock();

// At most so many requests per minute, evenly spaced; 0 means no limit.
class Pace {
 public:
  Pace(double per_minute, Clock clock);

  // Returns when it is this caller's turn. Thread-safe.
  void wait_for_turn();

 private:
  const double gap_;
  const Clock clock_;
  std::mutex mutex_;  // guards next_
  double next_ = 0;
};

class HttpChat : public ChatModel {
 public:
  // `key` is only needed to hide it in the endpoint's messages.
  HttpChat(std::unique_ptr<Http> http, std::string endpoint, std::string key, RetrySettings retries,
           double per_minute, const Clock& clock = real_clock());

  // Throws Refused when the endpoint does not accept this prompt.
  ChatReply ask(const ChatRequest& request) override;

  // The number of failed tries that were repeated.
  std::int64_t repeated() const { return repeated_; }
  // The tokens of answers that had no reply in them.
  Usage wasted() const;

 private:
  // Describes what is wrong with an answer, for a terminal.
  std::string told(const HttpAnswer& answer) const;
  ChatReply kept(ChatReply reply) const;

  std::unique_ptr<Http> http_;
  std::string endpoint_, key_;
  RetrySettings retries_;
  Clock clock_;
  Pace pace_;
  std::atomic<std::int64_t> repeated_ = 0;
  mutable std::mutex mutex_;  // guards wasted_
  Usage wasted_;
};

}  // namespace mgdm::prompting
