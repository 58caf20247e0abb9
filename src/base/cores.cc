#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

// The words of a small file; none when it is not there.
std::vector<std::string> words_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

std::optional<double> quotient(const std::string& quota, const std::string& period) {
  const auto time = parse_int(quota), of = parse_int(period);
  if (!time || !of || *time <= 0 || *of <= 0) return std::nullopt;  // "max", or -1: no limit
  return static_cast<double>(*time) / static_cast<double>(*of);
}

std::optional<double> limit_of(const fs::path& group) {
  if (const auto both = words_of(group / "cpu.max"); both.size() == 2)  // version 2
    return quotient(both[0], both[1]);
  const auto quota = words_of(group / "cpu.cfs_quota_us"),
             period = words_of(group / "cpu.cfs_period_us");  // version 1
  if (quota.size() != 1 || period.size() != 1) return std::nullopt;
  return quotient(quota[0], period[0]);
}

std::optional<int> affinity_cores() {
  std::array<cpu_set_t, 64> mask{};  // 65536 cores: the kernel refuses a mask shorter than its own
  if (::sched_getaffinity(0, sizeof mask, mask.data()) != 0) return std::nullopt;
  return CPU_COUNT_S(sizeof mask, mask.data());
}

int look_up() {
  int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (const auto allowed = affinity_cores()) cores = std::min(cores, std::max(1, *allowed));
  std::ifstream file("/proc/self/cgroup");
  const std::string membership{std::istreambuf_iterator<char>(file), {}};
  if (const auto allowed = cgroup_cores(membership, "/sys/fs/cgroup"))
    cores = static_cast<int>(std::min<double>(cores, std::max(1.0, std::ceil(*allowed))));
  return cores;
}

}  // namespace

std::optional<double> cgroup_cores(std::string_view membership, const fs::path& root) {
  std::optional<double> least;
  // "0::/a/b" is version 2; "4:cpu,cpuacct:/a/b" version 1, in a folder of that name.
  for (const std::string_view line : split(membership, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() < 3) continue;
    const auto controllers = split(fields[1], ',');
    const bool cpu = std::find(controllers.begin(), controllers.end(), "cpu") != controllers.end();
    if (!fields[1].empty() && !cpu) continue;
    const fs::path top = root / fs::path(fields[1]);
    // A group's limit holds for the groups in it. In a container the names may be the host's, and
    // the limit stands at the top.
    fs::path group(fields[2]);
    while (true) {
      if (const auto limit = limit_of(top / group.relative_path()))
        least = std::min(least.value_or(*limit), *limit);
      if (group.relative_path().empty()) break;
      group = group.parent_path();
    }
  }
  return least;
}

int usable_cores() {
  static const int cores = look_up();
  return cores;
}

int thread_count(int requested) {
  if (requested > 0) return requested;
  if (const char* const asked = std::getenv("OMP_NUM_THREADS")) {
    const auto number = parse_int(split(asked, ',').front());  // "4,2" is for nested loops
    if (number && *number >= 1 && *number <= kMostThreads) return static_cast<int>(*number);
  }
  return usable_cores();
}

}  // namespace mgdm
