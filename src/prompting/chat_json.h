// The JSON that an OpenAI-compatible endpoint reads and writes.
#pragma once

#include <string>
#include <string_view>

#include "prompting/chat.h"

namespace mgdm::prompting {

// The body of POST /v1/chat/completions.
std::string request_body(const ChatRequest& request);

// Parses the reply in an endpoint's answer. An Error for anything else (no JSON, no choices); it
// shows `shown` in place of the answer, which may contain secrets.
ChatReply parse_reply(std::string_view body, std::string_view shown);
inline ChatReply parse_reply(std::string_view body) { return parse_reply(body, body); }

// The token counts in an answer; uncounted if it has none.
Usage usage_in(std::string_view body);

// The error message of an endpoint in its own words; empty if there is none.
std::string error_message(std::string_view body);

}  // namespace mgdm::prompting
