// The interface to the work that needs LibTorch. The program mgdm-train passes an implementation to
// cli::run(); the program mgdm has none and executes mgdm-train instead (cli/full_program.h).
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "config/settings.h"
#include "reproduction/context.h"

namespace mgdm::cli {

struct LaunchSettings {
  std::int64_t n = 1, restarts = 0;
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

class TorchWork : public reproduction::Workers {
 public:
  virtual void launch(const LaunchSettings& settings) = 0;
  virtual void bench_signature(const BenchSettings& settings) = 0;
  virtual void bench_train(const BenchSettings& settings) = 0;
  virtual void bench_decode(const BenchSettings& settings) = 0;
  virtual bool is_out_of_memory(const std::exception& error) const = 0;
};

// Returns `work`. Without one it throws NeedsLibTorch, which says that `what` ("train") needs it.
TorchWork& needed(TorchWork* work, const std::string& what);

}  // namespace mgdm::cli
