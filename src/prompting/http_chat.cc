#include "prompting/http_chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/text.h"
#include "formats/json_text.h"
#include "prompting/key.h"

namespace mgdm::prompting {
namespace {

using Json = nlohmann::json;

// A member of an object, null where there is none.
Json member(const Json& json, const char* name) {
  return json.is_object() && json.contains(name) ? json[name] : Json(nullptr);
}

std::int64_t count_of(const Json& usage, const char* name) {
  const Json count = member(usage, name);
  return count.is_number_integer() ? std::max<std::int64_t>(0, count.get<std::int64_t>()) : 0;
}

// The number that four hexadecimal digits of an escape are; below 0 where there are none.
int escaped_at(std::string_view text, std::size_t at) {
  int number = -1;
  const std::string_view digits = text.substr(std::min(at, text.size()), 4);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return error == std::errc() && digits.size() == 4 && end == digits.data() + 4 ? number : -1;
}

// A reply that was cut in the middle of a character, whose bytes or escapes no parser takes: with
// U+FFFD for half a character.
std::string mended(std::string_view body) {
  std::string text = to_valid_utf8(body);
  const auto escape = [&](std::size_t at) {
    return text.compare(at, 2, "\\u") == 0 ? escaped_at(text, at + 2) : -1;
  };
  const auto within = [](int number, int first, int last) {
    return number >= first && number <= last;
  };
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos;) {
    const bool high = within(escape(at), 0xd800, 0xdbff);
    if (high && at + 6 < text.size() && within(escape(at + 6), 0xdc00, 0xdfff)) {
      at += 12;
    } else {
      if (high || within(escape(at), 0xdc00, 0xdfff)) text.replace(at, 6, "\\ufffd");
      at += 2;  // what is escaped may be a backslash
    }
  }
  return text;
}

Json json_of_reply(std::string_view body) {
  const Json json = formats::parse_json(body);
  return json.is_discarded() ? formats::parse_json(mended(body)) : json;
}

// The text of a part of a message; none of a picture, nor of what a model thought first.
std::optional<std::string> text_of_part(const Json& part) {
  if (part.is_string()) return part.get<std::string>();
  const Json kind = member(part, "type"), text = member(part, "text");
  if (!text.is_string() || (!kind.is_null() && kind != "text" && kind != "output_text"))
    return std::nullopt;
  return text.get<std::string>();
}

// What a message says: a text, the texts among its parts, or nothing, when all tokens went into
// thinking. None where it is no message, or has no part that we know.
std::optional<std::string> text_of(const Json& message) {
  const Json content = member(message, "content");
  if (content.is_string()) return content.get<std::string>();
  if (!message.is_object() || !(content.is_null() || content.is_array())) return std::nullopt;
  std::string all;
  bool known = content.empty();
  for (const Json& part : content)
    if (const auto text = text_of_part(part)) {
      all += *text;
      known = true;
    }
  return known ? std::optional(all) : std::nullopt;
}

Usage usage_of(const Json& json) {
  const Json usage = member(json, "usage");
  return usage_of_one(count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens"));
}

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

std::string request_body(const ChatRequest& request) {
  nlohmann::ordered_json json;
  json["model"] = request.model;
  json["messages"] = {{{"role", "user"}, {"content", request.prompt}}};
  if (request.temperature >= 0) json["temperature"] = request.temperature;
  if (request.max_tokens > 0) json["max_tokens"] = request.max_tokens;
  if (request.choices > 1) json["n"] = request.choices;  // not every endpoint knows it
  return formats::json_text(json);
}

ChatReply parse_reply(std::string_view body, std::string_view shown) {
  const Json json = json_of_reply(body);
  if (json.is_discarded())
    throw Error(fmt::format("the endpoint answered {}, which is not JSON", in_quotes(shown)),
                "a reply of /v1/chat/completions");
  ChatReply reply;
  for (const Json& choice : member(json, "choices"))
    if (auto text = text_of(member(choice, "message"))) reply.texts.push_back(*std::move(text));
  if (reply.texts.empty())
    throw Error(fmt::format("the endpoint answered {}, in which there is no choices[].message "
                            "with a text",
                            in_quotes(shown)),
                "a reply of /v1/chat/completions");
  reply.usage = usage_of(json);
  return reply;
}

Usage usage_in(std::string_view body) { return usage_of(json_of_reply(body)); }

std::string error_message(std::string_view body) {
  const Json json = formats::parse_json(body);
  const Json error = member(json, "error");
  for (const Json& words : {member(error, "message"), error, member(json, "message")})
    if (words.is_string()) return words.get<std::string>();
  return "";
}

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
