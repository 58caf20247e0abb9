// The flag --threads: one meaning and one wording for every command that computes.
#pragma once

#include <cstdint>

#include "base/cores.h"
#include "config/settings.h"

namespace mgdm::cli {

inline void visit_threads(config::Visitor& v, std::int64_t& threads) {
  v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
}

}  // namespace mgdm::cli
