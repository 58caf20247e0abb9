// Replies on disk: what has been asked and paid for once is never asked again, and a run that is
// repeated gives the same answers.
//
//   FOLDER/3f/3f09c2....json    {"request": {...}, "reply": {...}}
//
// An entry is found by everything that decides a reply: address, model, prompt, temperature, and
// which sample it is. No key is ever written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "prompting/chat.h"

namespace mgdm::prompting {

class ReplyCache {
 public:
  ReplyCache(std::filesystem::path folder, std::string endpoint);

  // None when it has not been asked yet. An Error when the entry is damaged: to ask again costs.
  std::optional<ChatReply> find(const ChatRequest& request) const;

  // Complete or not at all, and on the disk when it returns. Any number of threads and processes
  // may write the same entry.
  void write(const ChatRequest& request, const ChatReply& reply) const;

  // Where the reply to a request is or would be.
  std::filesystem::path file_of(const ChatRequest& request) const;

 private:
  std::filesystem::path folder_;
  std::string endpoint_;
};

// Asks `model` only what the cache does not know.
class CachedChat : public ChatModel {
 public:
  CachedChat(ChatModel& model, const ReplyCache& cache) : model_(model), cache_(cache) {}

  ChatReply ask(const ChatRequest& request) override;

  // What was asked of the model itself.
  Usage paid() const;
  // Replies without a word, of the model or the cache: who thinks may have spent all tokens on it.
  std::int64_t silent() const;

 private:
  ChatModel& model_;
  const ReplyCache& cache_;
  ChatReply counted(ChatReply reply);

  mutable std::mutex mutex_;  // guards what is below
  Usage paid_;
  std::int64_t silent_ = 0;
};

}  // namespace mgdm::prompting
