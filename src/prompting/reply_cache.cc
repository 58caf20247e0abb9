#include "prompting/reply_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/random.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::prompting {
namespace {

namespace fs = std::filesystem;
using CacheJson = nlohmann::ordered_json;

CacheJson request_json(const std::string& endpoint, const ChatRequest& request) {
  return {{"endpoint", endpoint},
          {"model", request.model},
          {"temperature", request.temperature},
          {"max_tokens", request.max_tokens},
          {"choices", request.choices},
          {"sample", request.sample},
          {"prompt", request.prompt}};
}

}  // namespace

ReplyCache::ReplyCache(fs::path folder, std::string endpoint)
    : folder_(std::move(folder)), endpoint_(std::move(endpoint)) {}

void ReplyCache::expect_writable() const {
  make_folder(folder_);
  const fs::path trial = folder_ / fmt::format("trial-{}", ::getpid());
  write_file(trial.string(), "");
  remove_tree(trial);
}

fs::path ReplyCache::file_of(const ChatRequest& request) const {
  const std::string text = formats::json_text(request_json(endpoint_, request));
  // Two hashes: one of 64 bits is short for something that must not be mistaken.
  const std::string name =
      fmt::format("{:016x}{:016x}", stable_hash(text), stable_hash("mgdm " + text));
  return folder_ / name.substr(0, 2) / (name + ".json");
}

std::optional<ChatReply> ReplyCache::find(const ChatRequest& request) const {
  const fs::path file = file_of(request);
  if (!is_there(file)) return std::nullopt;
  const CacheJson json = formats::parse_ordered_json(read_file(file));
  try {
    const CacheJson& reply = json.at("reply");
    if (formats::json_text(json.at("request")) !=
        formats::json_text(request_json(endpoint_, request)))
      return std::nullopt;  // another request of the same hash
    return ChatReply{reply.at("texts").get<std::vector<std::string>>(),
                     usage_of_one(reply.at("prompt_tokens").get<std::int64_t>(),
                                  reply.at("generated_tokens").get<std::int64_t>())};
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{}: the cached reply is damaged", file.string()),
                "the file as it was written", "remove it: that one request is then paid for again");
  }
}

void ReplyCache::write(const ChatRequest& request, const ChatReply& reply) const {
  const fs::path file = file_of(request);
  make_folder(file.parent_path());
  const CacheJson json{{"request", request_json(endpoint_, request)},
                       {"reply",
                        {{"texts", reply.texts},
                         {"prompt_tokens", reply.usage.prompt_tokens},
                         {"generated_tokens", reply.usage.generated_tokens}}}};
  write_file(file.string(), formats::json_text(json, 1) + "\n");
}

// The first to ask does, the others wait for what comes of it: a failure is theirs, too.
ChatReply CachedChat::ask(const ChatRequest& request) {
  const fs::path entry = cache_.file_of(request);
  std::promise<ChatReply> mine;
  std::shared_future<ChatReply> reply;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = under_way_.try_emplace(entry);
    if (is_new) place->second = mine.get_future().share();
    reply = place->second;
    first = is_new;
  }
  if (first) {
    try {
      mine.set_value(known_or_asked(request));
    } catch (...) {
      mine.set_exception(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    under_way_.erase(entry);
  }
  return counted(reply.get());
}

ChatReply CachedChat::known_or_asked(const ChatRequest& request) {
  if (auto known = cache_.find(request)) return *std::move(known);
  {
    const std::lock_guard lock(mutex_);
    if (cannot_write_) std::rethrow_exception(cannot_write_);
    if (paid_.requests == 0) cache_.expect_writable();
  }
  ChatReply reply = model_.ask(request);
  std::exception_ptr failure;
  try {
    cache_.write(request, reply);
  } catch (...) {
    failure = std::current_exception();  // the reply is paid for: it is used, and is the last
  }
  const std::lock_guard lock(mutex_);
  paid_.add(reply.usage);
  if (failure) {
    cannot_write_ = failure;
    ++lost_;
  }
  return reply;
}

ChatReply CachedChat::counted(ChatReply reply) {
  const std::lock_guard lock(mutex_);
  silent_ += std::ranges::count_if(reply.texts,
                                   [](const std::string& text) { return trim(text).empty(); });
  return reply;
}

std::int64_t CachedChat::silent() const {
  const std::lock_guard lock(mutex_);
  return silent_;
}

std::int64_t CachedChat::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

Usage CachedChat::paid() const {
  const std::lock_guard lock(mutex_);
  return paid_;
}

}  // namespace mgdm::prompting
