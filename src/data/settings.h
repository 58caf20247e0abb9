// Training data: the [data] section of a recipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {

// Examples of one kind.
struct SourceSettings {
  std::vector<std::string> files;
  std::string keys;
  std::int64_t count = 50000;
  bool endless = false;
  bool as_released = false;
  tasks::Options task;  // which puzzles are generated
  std::int64_t weight = 1;

  void visit(config::Visitor& v);
};

struct DataSettings : SourceSettings {
  std::vector<std::string> sources;
  std::string layout = "seq2seq";
  std::int64_t length = 0;
  std::string alphabet;
  std::string words;
  std::string blank = "0";
  bool reverse = false;
  bool augment = false;
  std::int64_t held_out = 448;
  std::int64_t threads = 0;

  void visit(config::Visitor& v);

  // The sources that `sources` lists, each of them this section with its own changes; or this
  // section alone. UsageError when one is not a list of key=value.
  std::vector<SourceSettings> all_sources() const;
};

}  // namespace mgdm::data
