#include "distributed/slurm.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace mgdm::distributed {
namespace {

TEST(Slurm, TheFirstHostOfAList) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("gpu[07-09,12],login1"), "gpu07");
  EXPECT_EQ(first_host("gpu[3,5-7]"), "gpu3");
  EXPECT_EQ(first_host("rack[0-1]node[02-05]-ib,x"), "rack0node02-ib");
  EXPECT_EQ(first_host(""), "");
}

// Each test begins and ends without these variables.
class SlurmVariables : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* const name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "SLURM_PROCID",
          "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST",
          "SLURM_JOB_NODELIST", "SLURM_NODELIST"})
      ::unsetenv(name);
  }
  static void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  static std::string get(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
  }
};

TEST_F(SlurmVariables, BecomeThoseOfTorchrun) {
  set({{"SLURM_PROCID", "5"},
       {"SLURM_NTASKS", "8"},
       {"SLURM_LOCALID", "1"},
       {"SLURM_JOB_ID", "12345"},
       {"SLURM_STEP_ID", "0"},
       {"SLURM_JOB_NODELIST", "gpu[01-09]"},
       {"SLURM_STEP_NODELIST", "gpu[02-05]"}});
  adopt_slurm_variables();
  EXPECT_EQ(get("RANK"), "5");
  EXPECT_EQ(get("WORLD_SIZE"), "8");
  EXPECT_EQ(get("LOCAL_RANK"), "1");
  EXPECT_EQ(get("MASTER_ADDR"), "gpu02");
  EXPECT_EQ(get("MASTER_PORT"), "17345");
}

TEST_F(SlurmVariables, GiveWayToWhatTheUserSet) {
  set({{"SLURM_PROCID", "1"},
       {"SLURM_NTASKS", "2"},
       {"SLURM_NODELIST", "a,b"},
       {"MASTER_ADDR", "10.0.0.7"},
       {"MASTER_PORT", "4000"}});
  adopt_slurm_variables();
  EXPECT_EQ(get("RANK"), "1");
  EXPECT_EQ(get("MASTER_ADDR"), "10.0.0.7");
  EXPECT_EQ(get("MASTER_PORT"), "4000");
}

TEST_F(SlurmVariables, OfOneTaskOrUnderALauncherSayNothing) {
  set({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_NODELIST", "a"}});
  adopt_slurm_variables();
  EXPECT_EQ(get("RANK") + get("WORLD_SIZE"), "");
  set({{"SLURM_NTASKS", "4"}, {"RANK", "3"}, {"WORLD_SIZE", "8"}});
  adopt_slurm_variables();
  EXPECT_EQ(get("RANK"), "3");
  EXPECT_EQ(get("WORLD_SIZE"), "8");
  EXPECT_EQ(get("MASTER_ADDR"), "");
}

}  // namespace
}  // namespace mgdm::distributed
