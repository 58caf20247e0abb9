// What every benchmark shares: a rate measured over at least a second, a machine named, a table.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

#include "base/version.h"

namespace mgdm::bench {

// Items per second. work(first, count) does items first .. first+count-1; count grows until one
// call takes a second, which also warms up.
template <class Work>
double rate(Work&& work) {
  using Clock = std::chrono::steady_clock;
  std::size_t first = 0, count = 256;
  while (true) {
    const auto start = Clock::now();
    work(first, count);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds > 1.0) return static_cast<double>(count) / seconds;
    first += count;
    count = seconds < 0.1 ? count * 4
                          : static_cast<std::size_t>(1.5 * static_cast<double>(count) / seconds);
  }
}

// "2 cores, Neoverse-V1, mgdm 0.1.0 (1234abcd)".
inline std::string machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string name = "unknown processor";
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name") || line.starts_with("CPU part")) {
      name = line.substr(line.find(':') + 2);
      break;
    }
  }
  if (name == "0xd40") name = "Neoverse V1";
  return fmt::format("{} cores, {}, mgdm {} ({})", std::thread::hardware_concurrency(), name,
                     version(), git_revision());
}

}  // namespace mgdm::bench
