// Fake models for the tests of this room.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "prompting/chat.h"

namespace mgdm::prompting {

// Replies by a function, and remembers the requests.
class FakeChat : public ChatModel {
 public:
  using Reply = std::function<std::vector<std::string>(const ChatRequest& request)>;
  explicit FakeChat(Reply reply) : reply_(std::move(reply)) {}

  ChatReply ask(const ChatRequest& request) override {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(request);
    }
    return {reply_(request), {1, 100, 10}};
  }

  std::vector<ChatRequest> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  Reply reply_;
  mutable std::mutex mutex_;
  std::vector<ChatRequest> asked_;
};

}  // namespace mgdm::prompting
