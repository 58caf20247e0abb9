// What goes over the wire to an OpenAI-compatible endpoint and comes back.
#pragma once

#include <string>
#include <string_view>

#include "prompting/chat.h"

namespace mgdm::prompting {

// The body of POST /v1/chat/completions.
std::string request_body(const ChatRequest& request);

// The reply in such an answer. Error when it is not what an endpoint answers: no JSON, no choices;
// it shows `shown` for the answer, which may not be fit to be shown.
ChatReply parse_reply(std::string_view body, std::string_view shown);
inline ChatReply parse_reply(std::string_view body) { return parse_reply(body, body); }

// What such an answer says that it took; nothing counted where it does not.
Usage usage_in(std::string_view body);

// What an endpoint says went wrong, in its own words; empty where it says nothing.
std::string error_message(std::string_view body);

}  // namespace mgdm::prompting
