// Replies on disk: a request that was paid for is never sent again, and a repeated run gives the
// same answers.
//
//   FOLDER/3f/3f09c2....json    {"request": {...}, "reply": {...}}
//
// The key of an entry is everything that decides a reply: address, model, prompt, temperature,
// token limit, number of texts, and the number of the sample. API keys are never written.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "prompting/chat.h"

namespace mgdm::prompting {

class ReplyCache {
 public:
  ReplyCache(std::filesystem::path folder, std::string endpoint);

  // Creates the folder. An Error when it cannot be written.
  void expect_writable() const;

  // The reply, or none if the request was never sent. An Error when the entry is damaged, because
  // asking again costs money.
  std::optional<ChatReply> find(const ChatRequest& request) const;

  // Writes an entry atomically; it is on the disk when the call returns. Any number of threads and
  // processes may write the same entry.
  void write(const ChatRequest& request, const ChatReply& reply) const;

  // The file of a request's reply, whether it exists or not.
  std::filesystem::path file_of(const ChatRequest& request) const;

 private:
  std::filesystem::path folder_;
  std::string endpoint_;
};

// Sends a request to `model` only if the cache does not know it. A request that several threads
// make at the same time is sent once. Nothing is sent when replies cannot be written.
class CachedChat : public ChatModel {
 public:
  CachedChat(ChatModel& model, const ReplyCache& cache) : model_(model), cache_(cache) {}

  ChatReply ask(const ChatRequest& request) override;

  // The requests that were sent to the model, and their tokens.
  Usage paid() const;
  // How many of their replies could not be written (the disk is full). Nothing is sent after the
  // first.
  std::int64_t lost() const;
  // Replies without text, from the model or the cache: a reasoning model may spend its whole token
  // budget before answering.
  std::int64_t silent() const;

 private:
  ChatReply known_or_asked(const ChatRequest& request);
  ChatReply counted(ChatReply reply);

  ChatModel& model_;
  const ReplyCache& cache_;
  mutable std::mutex mutex_;  // guards what is below
  std::map<std::filesystem::path, std::shared_future<ChatReply>> under_way_;  // by entry
  Usage paid_;
  std::exception_ptr cannot_write_;
  std::int64_t lost_ = 0;
  std::int64_t silent_ = 0;
};

}  // namespace mgdm::prompting
