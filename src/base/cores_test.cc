#include "base/cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Cores : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("mgdm_cores_" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << "\n";
  }
  std::optional<double> allowed(const std::string& membership) const {
    return cgroup_cores(membership, root_);
  }
  fs::path root_;
};

TEST_F(Cores, ControlGroupsOfVersion2) {
  EXPECT_EQ(allowed("0::/a/b\n"), std::nullopt);  // nothing is mounted
  write("a/b/cpu.max", "max 100000");
  EXPECT_EQ(allowed("0::/a/b\n"), std::nullopt);
  write("a/cpu.max", "150000 100000");
  EXPECT_EQ(allowed("0::/a/b\n"), 1.5);
  write("a/b/cpu.max", "400000 100000");
  EXPECT_EQ(allowed("0::/a/b\n"), 1.5);  // the outer group's limit holds
  EXPECT_EQ(allowed("0::/elsewhere\n"), std::nullopt);
  write("cpu.max", "300000 100000");  // a container, whose own name is not to be seen
  EXPECT_EQ(allowed("0::/elsewhere/host/name\n"), 3);
  EXPECT_EQ(allowed("0::/\n"), 3);
}

TEST_F(Cores, ControlGroupsOfVersion1) {
  const std::string groups = "5:memory:/a\n4:cpu,cpuacct:/a\n1:name=systemd:/a\n";
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "-1");
  write("cpu,cpuacct/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(allowed(groups), std::nullopt);
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "250000");
  EXPECT_EQ(allowed(groups), 2.5);
  write("memory/a/cpu.max", "1 100");  // not a group of the processor
  EXPECT_EQ(allowed(groups), 2.5);
}

TEST_F(Cores, BrokenTextIsNoLimit) {
  for (const char* text : {"", "\n", "0:", "0::", "x", "::", "0::/../.."}) allowed(text);
  write("a/cpu.max", "nonsense 100000");
  EXPECT_EQ(allowed("0::/a"), std::nullopt);
  write("a/cpu.max", "0 0");
  EXPECT_EQ(allowed("0::/a"), std::nullopt);
}

TEST_F(Cores, AtMostTheAffinityMask) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t ours;
  if (::sched_getaffinity(0, sizeof ours, &ours) != 0) GTEST_SKIP() << "a very large machine";
  EXPECT_LE(usable_cores(), CPU_COUNT(&ours));
}

}  // namespace
}  // namespace mgdm
