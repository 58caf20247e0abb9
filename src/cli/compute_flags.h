// The flags of commands that compute: where, with how many threads, in which arithmetic.
#pragma once

#include <cstdint>
#include <string>

#include "base/cores.h"
#include "config/settings.h"
#include "inference/load_network.h"
#include "spec/model_card.h"

namespace mgdm::cli {

inline void visit_threads(config::Visitor& v, std::int64_t& threads) {
  v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
}

struct ComputeFlags {
  std::string device = "auto", arithmetic = "auto";
  std::int64_t threads = 0;
  bool deterministic = false;

  void visit(config::Visitor& v) {
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    visit_threads(v, threads);
    v.field(
        "arithmetic", arithmetic,
        "of products on a CPU: fp32 is exact, bf16 faster, int8 smallest and often fastest; auto: "
        "what the model's card names",
        config::one_of(spec::arithmetic_choices()));
    v.field("deterministic", deterministic,
            "on a GPU, solve one puzzle at a time: slower, but no answer depends on other puzzles, "
            "not even by rounding");
  }

  inference::ComputeSettings settings() const {
    return {device, static_cast<int>(threads), arithmetic, deterministic};
  }
};

}  // namespace mgdm::cli
