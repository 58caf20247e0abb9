#include "prompting/http_chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
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

Clock real_clock() {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  const auto sleep = [now](double seconds) {
    constexpr double kSlice = 0.05;
    for (const double end = now() + seconds; now() < end;) {
      stop_if_interrupted();
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kSlice, end - now())));
    }
    stop_if_interrupted();
  };
  return {now, sleep};
}

Pace::Pace(double per_minute, Clock clock)
    : gap_(per_minute > 0 ? 60 / per_minute : 0), clock_(std::move(clock)) {}

void Pace::wait_for_turn() {
  double wait = 0;
  {
    const std::lock_guard lock(mutex_);
    const double now = clock_.now(), turn = std::max(now, next_);
    next_ = turn + gap_;
    wait = turn - now;
  }
  if (wait > 0) clock_.sleep(wait);
}

bool worth_another_try(const HttpAnswer& answer) {
  return answer.status == 0 || answer.status == 408 || answer.status == 429 ||
         (answer.status >= 500 && answer.status <= 599);
}

std::optional<double> advised_wait(const std::string& retry_after, double now) {
  const std::string_view text = trim(retry_after);
  if (const auto seconds = parse_int(text))
    return *seconds >= 0 ? std::optional<double>(static_cast<double>(*seconds)) : std::nullopt;
  std::tm date{};
  const std::string words(text);
  const char* const end = ::strptime(words.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return std::max(0.0, static_cast<double>(::timegm(&date)) - now);
}

std::optional<double> wait_before_next(const RetrySettings& settings, std::int64_t failed,
                                       std::optional<double> advised, double chance) {
  if (failed >= settings.tries) return std::nullopt;
  const double doubled = settings.first_wait * std::pow(2.0, static_cast<double>(failed - 1));
  const double wait = std::min(settings.longest_wait, doubled) * (1 - chance / 2);
  if (!advised) return wait;
  if (*advised > settings.longest_advised) return std::nullopt;
  return std::max(*advised, wait);
}

}  // namespace mgdm::prompting
