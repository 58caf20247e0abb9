#include "prompting/chat_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "formats/json_text.h"

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

}  // namespace mgdm::prompting
