// Decides whether a failed request is repeated, and how long to wait first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "prompting/http.h"

namespace mgdm::prompting {

struct RetrySettings {
  std::int64_t tries = 6;        // in all
  double first_wait = 1;         // seconds; twice as long each time,
  double longest_wait = 60;      // but no longer than this,
  double longest_advised = 600;  // or what the endpoint asks for, up to this
};

// True when nothing came back, or the endpoint is busy (429) or broken (408, 5xx).
bool worth_another_try(const HttpAnswer& answer);

// Parses Retry-After: seconds, or a date (`now` in seconds since 1970). None for anything else.
std::optional<double> advised_wait(const std::string& retry_after, double now);

// The seconds to wait after so many failed tries; none when no further try follows. `chance` in [0,
// 1) shortens the wait by up to a half, so that clients that failed together do not return
// together.
std::optional<double> wait_before_next(const RetrySettings& settings, std::int64_t failed,
                                       std::optional<double> advised, double chance);

}  // namespace mgdm::prompting
