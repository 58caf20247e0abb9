// Files with lines that are not as they should be, read on past them.
#pragma once

#include <functional>
#include <optional>

#include "base/error.h"

namespace mgdm {

// Told what is wrong with a line, file:line included. Readers that get none throw instead.
using OnBadLine = std::function<void(const Error& error)>;

// What `parse` gives; none where the line is bad and on_bad was told.
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
