#include "prompting/http_chat.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/text.h"
#include "prompting/chat_json.h"
#include "prompting/key.h"

namespace mgdm::prompting {
namespace {

// Shorter keys are no secrets but words for servers that ask for some word ("x", "none", "EMPTY").
// They may well be part of an answer.
constexpr std::size_t kSecret = 8;

// What an endpoint said, short enough for a terminal.
std::string shortened(const std::string& words) {
  constexpr std::size_t kMost = 300;
  return printable(words.size() <= kMost ? words : words.substr(0, kMost) + "...");
}

std::string hint_for(int status) {
  if (status == 401 || status == 403) return "another key (--key-variable), or none (--no-key)";
  if (status == 404) return "the name of the model (--model) and the address (--endpoint)";
  if (status == 429) return "fewer requests: --per-minute, --parallel";
  return "";
}

// Statuses that say what is wrong with this one request: its form, its length, its words.
bool is_about_the_prompt(int status) {
  return status == 400 || status == 413 || status == 422 || status == 451;
}

// In [0, 1): another one for another request and another try.
double chance_for(const std::string& body, std::int64_t failed) {
  return static_cast<double>(stable_hash(fmt::format("{} {}", failed, body)) >> 11) * 0x1p-53;
}

}  // namespace

HttpChat::HttpChat(std::unique_ptr<Http> http, std::string endpoint, std::string key,
                   RetrySettings retries, double per_minute, const Clock& clock)
    : http_(std::move(http)),
      endpoint_(std::move(endpoint)),
      key_(std::move(key)),
      retries_(retries),
      clock_(clock),
      pace_(per_minute, clock) {}

std::string HttpChat::told(const HttpAnswer& answer) const {
  if (answer.status == 0) return answer.failure;
  std::string words = error_message(answer.body);
  if (words.empty()) words = answer.body;
  words = without_key(words, key_);  // before any of it is cut
  return fmt::format("status {}{}{}", answer.status, words.empty() ? "" : ": ", shortened(words));
}

// What the model wrote, as it may be kept.
ChatReply HttpChat::kept(ChatReply reply) const {
  if (key_.size() >= kSecret)
    for (std::string& text : reply.texts) text = without_key(text, key_);
  return reply;
}

Usage HttpChat::wasted() const {
  const std::lock_guard lock(mutex_);
  return wasted_;
}

ChatReply HttpChat::ask(const ChatRequest& request) {
  const std::string body = request_body(request);
  for (std::int64_t failed = 0;;) {
    stop_if_interrupted();
    pace_.wait_for_turn();
    const HttpAnswer answer = http_->post(body);
    std::string complaint;
    if (answer.status == 200) {
      try {
        return kept(parse_reply(answer.body, without_key(answer.body, key_)));
      } catch (const Error& error) {
        complaint = error.seen();
        const std::lock_guard lock(mutex_);
        wasted_.add(usage_in(answer.body));
      }
    } else {
      complaint = told(answer);
    }
    ++failed;
    const std::string place = fmt::format("{}: {}", endpoint_, complaint);
    if (is_about_the_prompt(answer.status)) throw Refused(place);
    if (answer.status != 200 && !worth_another_try(answer))
      throw Error(place, "", hint_for(answer.status));
    const auto advised = advised_wait(answer.retry_after, static_cast<double>(std::time(nullptr)));
    const auto wait = wait_before_next(retries_, failed, advised, chance_for(body, failed));
    if (!wait)
      throw Error(fmt::format("{} ({} {}{})", place, failed, failed == 1 ? "try" : "tries",
                              failed < retries_.tries
                                  ? fmt::format(", and it asks to wait for {:g} s", *advised)
                                  : ""),
                  "", hint_for(answer.status));
    ++repeated_;
    clock_.sleep(*wait);
  }
}

}  // namespace mgdm::prompting
