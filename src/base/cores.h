// How many cores this process may use: a container or a batch system often gives it fewer than the
// machine has, and more threads than cores only get in each other's way.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace mgdm {

// The least of what the hardware has, what the affinity mask allows (taskset, Slurm) and what the
// control groups allow (Docker, Kubernetes), rounded up; at least 1. Looked up once.
int usable_cores();

// How settings ask for a number of threads.
inline constexpr const char* kThreadsHelp = "number of threads (0 = all usable cores)";
inline constexpr int kMostThreads = 1024;

// As many as requested; for 0 as OMP_NUM_THREADS says, or else all usable cores.
int thread_count(int requested);

// The processor time that control groups of version 1 or 2 allow, in cores; none where they set no
// limit. `membership` is the text of /proc/self/cgroup, `root` the folder /sys/fs/cgroup.
std::optional<double> cgroup_cores(std::string_view membership, const std::filesystem::path& root);

}  // namespace mgdm
