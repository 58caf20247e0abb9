// A model behind an OpenAI-compatible endpoint: tries again where that helps, keeps to a pace, and
// says in one sentence what is wrong where it does not.
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
  // `key` is only looked for in what the endpoint says, so that no message repeats it.
  HttpChat(std::unique_ptr<Http> http, std::string endpoint, std::string key, RetrySettings retries,
           double per_minute, const Clock& clock = real_clock());

  // Refused when it is this prompt that the endpoint does not take.
  ChatReply ask(const ChatRequest& request) override;

  // Tries that failed and were repeated.
  std::int64_t repeated() const { return repeated_; }
  // What the endpoint counted for answers in which there was no reply.
  Usage wasted() const;

 private:
  // What is wrong with an answer, for a terminal.
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
