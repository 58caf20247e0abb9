// Replies on disk: what has been asked and paid for once is never asked again, and a run that is
// repeated gives the same answers.
//
//   FOLDER/3f/3f09c2....json    {"request": {...}, "reply": {...}}
//
// An entry is found by everything that decides a reply: address, model, prompt, temperature, the
// most tokens, how many texts, and which sample it is. No key is ever written.
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

  // An Error when nothing can be written to the folder, which is made.
  void expect_writable() const;

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

// Asks `model` only what the cache does not know, and what several threads ask at the same time
// once; nothing at all where replies cannot be written down.
class CachedChat : public ChatModel {
 public:
  CachedChat(ChatModel& model, const ReplyCache& cache) : model_(model), cache_(cache) {}

  ChatReply ask(const ChatRequest& request) override;

  // What was asked of the model itself.
  Usage paid() const;
  // Of these, replies that could not be written down: a full disk, say. Nothing is asked after one.
  std::int64_t lost() const;
  // Replies without a word, of the model or the cache: who thinks may have spent all tokens on it.
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
