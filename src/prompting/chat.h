// A large language model behind an interface: messages in, texts out, with what they cost.
//
// An endpoint (http_chat.h), the cache (reply_cache.h) and fake models in tests all implement it,
// so the methods of prompting cannot tell them apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace mgdm::prompting {

struct ChatRequest {
  std::string model;
  std::string prompt;              // the one message of the user
  double temperature = 0.7;        // below 0: as the endpoint likes it
  std::int64_t max_tokens = 1000;  // 0: the same
  std::int64_t choices = 1;        // texts asked for at once
  std::int64_t sample = 0;  // which draw this is: another number is another text for one prompt
};

struct Usage {
  std::int64_t requests = 0, prompt_tokens = 0, generated_tokens = 0;
  std::int64_t uncounted = 0;  // requests whose tokens the endpoint did not tell

  void add(const Usage& other) {
    requests += other.requests;
    prompt_tokens += other.prompt_tokens;
    generated_tokens += other.generated_tokens;
    uncounted += other.uncounted;
  }
  bool operator==(const Usage&) const = default;
};

struct ChatReply {
  std::vector<std::string> texts;  // at least one; as many as asked for, unless the model cannot
  Usage usage;
  bool operator==(const ChatReply&) const = default;
};

// The usage of one request. Every prompt has tokens, so 0 means that the endpoint did not count
// them.
inline Usage usage_of_one(std::int64_t prompt_tokens, std::int64_t generated_tokens) {
  return {1, prompt_tokens, generated_tokens, prompt_tokens == 0 ? 1 : 0};
}

// The model refuses this prompt, however often it is asked. It may answer others.
class Refused : public Error {
 public:
  using Error::Error;
};

class ChatModel {
 public:
  virtual ~ChatModel() = default;
  // Thread-safe.
  virtual ChatReply ask(const ChatRequest& request) = 0;
};

}  // namespace mgdm::prompting
