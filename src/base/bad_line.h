// Reading on after a malformed line.
#pragma once

#include <functional>
#include <optional>

#include "base/error.h"

namespace mgdm {

// Receives the error of a malformed line, file:line included. A reader without one throws instead.
using OnBadLine = std::function<void(const Error& error)>;

// The result of `parse`; none if it threw and on_bad received the error.
template <class Parse>
auto unless_bad(const OnBadLine& on_bad, Parse&& parse) -> std::optional<decltype(parse())> {
  using Parsed = std::optional<decltype(parse())>;
  if (!on_bad) return parse();
  return attempt([&] { return Parsed(parse()); },
                 [&](const Error& error) {
                   on_bad(error);
                   return Parsed();
                 });
}

}  // namespace mgdm
