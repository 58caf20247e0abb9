// When a request that failed is worth another try, and how long to wait before it.
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

// Nothing came, or the endpoint is busy (429) or broken (408, 5xx).
bool worth_another_try(const HttpAnswer& answer);

// What Retry-After asks for, in seconds: a number, or a date (`now` in seconds since 1970); none
// when it is neither.
std::optional<double> advised_wait(const std::string& retry_after, double now);

// Seconds to wait after that many failed tries; none when no other try shall follow. `chance` in
// [0, 1) takes off up to half of the wait, so that many who failed together do not return together.
std::optional<double> wait_before_next(const RetrySettings& settings, std::int64_t failed,
                                       std::optional<double> advised, double chance);

}  // namespace mgdm::prompting
