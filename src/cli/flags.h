// The flags that several commands share. A decoding flag that is not given defaults to the model's
// own setting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cores.h"
#include "config/settings.h"
#include "decoding/decoding_settings.h"
#include "inference/loaded_model.h"

namespace mgdm::cli {

inline void visit_threads(config::Visitor& v, std::int64_t& threads) {
  v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
}

struct DecodingFlags {
  decoding::DecodingSettings settings;
  std::vector<std::string> given;  // the keys of the flags that stood on the command line

  void visit(config::Visitor& v) { settings.visit(v, "decoding"); }

  // The model's own settings, changed by the flags that were given. UsageError for a flag that
  // changes nothing: a left-to-right model has no steps.
  decoding::DecodingSettings over(const inference::LoadedModel& model) const;
};

std::vector<std::string> decoding_keys();

// The fields of a command without the decoding flags that change nothing with this model. Results
// note these settings.
std::vector<config::Field> counting(std::vector<config::Field> fields,
                                    const inference::LoadedModel& model,
                                    const decoding::DecodingSettings& settings);

}  // namespace mgdm::cli
