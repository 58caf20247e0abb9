#include "prompting/chat_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
  const Json json = formats::parse_json(body);
  if (json.is_discarded())
    throw Error(fmt::format("the endpoint answered {}, which is not JSON", in_quotes(shown)),
                "a reply of /v1/chat/completions");
  ChatReply reply;
  for (const Json& choice : member(json, "choices")) {
    const Json content = member(member(choice, "message"), "content");
    if (content.is_string()) reply.texts.push_back(content.get<std::string>());
    if (content.is_null() && member(choice, "message").is_object())
      reply.texts.emplace_back();  // all tokens went into thinking
  }
  if (reply.texts.empty())
    throw Error(fmt::format("the endpoint answered {}, in which there is no choices[].message",
                            in_quotes(shown)),
                "a reply of /v1/chat/completions");
  const Json usage = member(json, "usage");
  reply.usage = {1, count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens")};
  return reply;
}

std::string error_message(std::string_view body) {
  const Json json = formats::parse_json(body);
  const Json error = member(json, "error");
  for (const Json& words : {member(error, "message"), error, member(json, "message")})
    if (words.is_string()) return words.get<std::string>();
  return "";
}

}  // namespace mgdm::prompting
