#include "prompting/http_chat.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/text.h"
#include "prompting/chat_json.h"

namespace mgdm::prompting {
namespace {

constexpr std::string_view kHidden = "***";
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

// What came, or did not.
std::string told(const HttpAnswer& answer) {
  if (answer.status == 0) return answer.failure;
  std::string words = error_message(answer.body);
  if (words.empty()) words = answer.body;
  return fmt::format("status {}{}{}", answer.status, words.empty() ? "" : ": ", shortened(words));
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

std::string HttpChat::without_key(std::string text) const {
  if (key_.empty()) return text;
  for (std::size_t at = 0; (at = text.find(key_, at)) != std::string::npos;)
    text.replace(at, key_.size(), kHidden), at += kHidden.size();
  return text;
}

// What the model wrote, as it may be kept.
ChatReply HttpChat::kept(ChatReply reply) const {
  if (key_.size() >= kSecret)
    for (std::string& text : reply.texts) text = without_key(std::move(text));
  return reply;
}

ChatReply HttpChat::ask(const ChatRequest& request) {
  const std::string body = request_body(request);
  for (std::int64_t failed = 0;;) {
    stop_if_interrupted();
    pace_.wait_for_turn();
    HttpAnswer answer = http_->post(body);
    const std::string shown = without_key(answer.body);  // before any of it is cut
    std::string complaint;
    if (answer.status == 200) {
      try {
        return kept(parse_reply(answer.body, shown));
      } catch (const Error& error) {
        complaint = error.seen();
      }
    } else {
      answer.body = shown;
      complaint = told(answer);
    }
    ++failed;
    const std::string place = fmt::format("{}: {}", endpoint_, complaint);
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

std::string key_from(const std::string& variable) {
  const char* const value = std::getenv(variable.c_str());
  const std::string key(value == nullptr ? "" : trim(value));
  if (key.empty())
    throw Error(fmt::format("there is no key in the environment variable {}", printable(variable)),
                fmt::format("{}=... before the command", printable(variable)),
                "--no-key for an endpoint that wants none");
  for (const char c : key)
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f)
      throw Error(
          fmt::format("what stands in the environment variable {} is no key: it has white "
                      "space or other characters that cannot be sent",
                      printable(variable)));
  return key;
}

}  // namespace mgdm::prompting
