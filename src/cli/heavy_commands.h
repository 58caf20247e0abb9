// The commands that need LibTorch. What they take and say stands here, so that both programs have
// the same help and the same errors; what they do is in torch_commands/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"

namespace mgdm::cli {

struct TrainSettings {
  std::string recipe;
  std::vector<std::string> overrides;
  std::string out;
  std::int64_t threads = 0;
  bool resume = false, quiet = false;

  void visit(config::Visitor& v);
};

struct LaunchSettings {
  std::int64_t n = 1;
  std::vector<std::string> command;
  bool quiet = false;

  void visit(config::Visitor& v);
};

struct BenchSettings {
  std::string name, subject;
  std::vector<std::string> overrides;
  std::string device, json, md, csv;
  std::int64_t threads = 0, batch = 0, turns = 3, steps = 0;
  bool profile = false, quiet = false;

  void visit(config::Visitor& v);
};

// What the commands do. A program without LibTorch has none of it: its commands say how to get the
// program that has them.
struct HeavyWork {
  std::function<void(const TrainSettings&)> train;
  std::function<void(const LaunchSettings&)> launch;
  std::function<void(const BenchSettings&)> bench_signature, bench_train, bench_decode;
};
std::vector<Command> heavy_commands(const HeavyWork& work);

// What is thrown where there is none: `what` ("train") needs it.
NeedsLibTorch needs_libtorch(const std::string& what);

}  // namespace mgdm::cli
