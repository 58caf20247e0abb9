// A model behind an OpenAI-compatible endpoint: tries again where that helps, keeps to a pace, and
// says in one sentence what is wrong where it does not.
#pragma once

#include <atomic>
#include <memory>
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

  ChatReply ask(const ChatRequest& request) override;

  // Tries that failed and were repeated.
  std::int64_t repeated() const { return repeated_; }

 private:
  std::string without_key(std::string text) const;
  ChatReply kept(ChatReply reply) const;

  std::unique_ptr<Http> http_;
  std::string endpoint_, key_;
  RetrySettings retries_;
  Clock clock_;
  Pace pace_;
  std::atomic<std::int64_t> repeated_ = 0;
};

// The key in the environment variable of that name. An Error, which never shows it, when there is
// none or it cannot be a key.
std::string key_from(const std::string& variable);

}  // namespace mgdm::prompting
