#include "prompting/retry.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/text.h"

namespace mgdm::prompting {

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
