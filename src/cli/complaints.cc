#include "cli/complaints.h"

#include "base/standard_streams.h"
#include "base/text.h"

namespace mgdm::cli {

constexpr std::size_t kMost = 5;  // that are printed one by one

void Complaints::add(const Error& error) {
  if (++count_ > kMost) return;
  // Errors in a row that expect the same say so only once.
  const bool again = count_ > 1 && error.expected() == last_expected_ && error.hint() == last_hint_;
  say("mgdm: {}\n", printable(again ? error.seen() : error.what(), "\n"));
  last_expected_ = error.expected();
  last_hint_ = error.hint();
}

void Complaints::finish() const {
  if (count_ > kMost) say("mgdm: and {} more that cannot be read\n", count_ - kMost);
}

}  // namespace mgdm::cli
