#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "prompting/http.h"

namespace mgdm::prompting {
namespace {

// What may be secret stands before an @ or behind a question mark.
std::string without_secrets(std::string url) {
  if (const std::size_t user = url.rfind('@'); user != std::string::npos)
    url = url.find('?') < user ? "..." : "..." + url.substr(user);
  if (const std::size_t mark = url.find('?'); mark != std::string::npos)
    url = url.substr(0, mark) + "?...";
  return url;
}

}  // namespace

Endpoint parse_endpoint(const std::string& url) {
  const std::size_t host = url.find("://") + 3, slash = url.find('/', host);
  // Wherever it stands: in passwords there are slashes, too.
  const bool has_user = url.find('@') != std::string::npos;
  const auto refuse = [&](const char* why) {
    throw UsageError(fmt::format("--endpoint {} {}", in_quotes(without_secrets(url)), why),
                     "an address such as https://api.example.com/v1 or http://127.0.0.1:8080");
  };
  Endpoint endpoint;
  endpoint.secure = url.starts_with("https://");
  if (!endpoint.secure && !url.starts_with("http://"))
    refuse("does not begin with http:// or https://");
  endpoint.origin = url.substr(0, slash);
  endpoint.path = slash == std::string::npos ? "" : url.substr(slash);
  if (endpoint.origin.size() == host) refuse("names no machine");
  // A password in an address would end up in the results.
  if (has_user) refuse("has a name or password in it (a path has %40 for an @)");
  if (url.find('?') != std::string::npos)
    refuse("has a question mark, behind which keys may stand");
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '#')
      refuse("has a character that no address has");
  if (const std::size_t colon = endpoint.origin.rfind(':');
      colon > host && endpoint.origin.find(']', colon) == std::string::npos) {
    const auto port = parse_int(endpoint.origin.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) refuse("has no valid port");
  }
  constexpr std::string_view kCall = "/chat/completions";
  while (endpoint.path.ends_with('/')) endpoint.path.pop_back();
  if (endpoint.path.empty()) endpoint.path = "/v1";
  if (!endpoint.path.ends_with(kCall)) endpoint.path += kCall;
  return endpoint;
}

}  // namespace mgdm::prompting
