// A model behind an OpenAI-compatible endpoint. It repeats failed requests if that helps, keeps to
// a pace, and reports other failures in one sentence.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "prompting/chat.h"
#include "prompting/http.h"
#include "prompting/pace.h"
#include "prompting/retry.h"

namespace mgdm::prompting {

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
