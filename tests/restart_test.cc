// Training that loses a process or a machine and goes on: by `mgdm launch --restarts`, by torchrun,
// and over two machines. What is learned is the same, bit for bit, as without the loss.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "background_process.h"
#include "base/files.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Restart : public Program {
 protected:
  void SetUp() override {
    if (!MGDM_GLOO) GTEST_SKIP() << "built without Gloo";
    Program::SetUp();
    ::setenv("OMP_NUM_THREADS", "1", 1);
  }
  void TearDown() override {
    ::unsetenv("OMP_NUM_THREADS");
    Program::TearDown();
  }

  // Long enough to be disturbed in the middle.
  std::string train(const std::string& out) const {
    return "train '" MGDM_SOURCE_DIR
           "/recipes/smoke/mgdm.toml' training.steps=1000 "
           "training.checkpoint_every=50 evaluation.count=0 --out " +
           path(out);
  }
  static std::string program(const std::string& arguments) {
    return "'" + std::string(MGDM_PROGRAM) + "' " + arguments;
  }
  bool has_saved(const std::string& out) const {
    return BackgroundProcess::wait_until(120, [&] { return fs::exists(path(out + "/best")); });
  }
  std::string learned(const std::string& out) const {
    return read_file(path(out + "/checkpoint-1000/model.safetensors"));
  }
  // What two processes on this machine learn undisturbed.
  std::string learned_without_loss() const {
    const Outcome whole = mgdm("launch -n 2 -- " + train("whole"));
    EXPECT_EQ(whole.code, 0) << whole.err;
    return learned("whole");
  }

  // Runs the command, which starts the processes as its children, and kills the second of them.
  void expect_to_survive_a_kill(const std::string& command) {
    BackgroundProcess launcher("exec " + command, path("err"));
    ASSERT_TRUE(has_saved("run")) << read_file(path("err"));
    const std::vector<pid_t> children = launcher.children();
    ASSERT_EQ(children.size(), 2u) << read_file(path("err"));
    ::kill(children[1], SIGKILL);
    ASSERT_EQ(launcher.wait(200), 0) << read_file(path("err"));
    EXPECT_MENTIONS(read_file(path("err")), "going on from " + path("run/checkpoint-"));
    EXPECT_EQ(learned("run"), learned_without_loss());
  }
};

TEST_F(Restart, TheLauncherStartsAllAgain) {
  expect_to_survive_a_kill(program("launch -n 2 --restarts 1 -- " + train("run")));
  EXPECT_MENTIONS(read_file(path("err")),
                  "rank 1 of 2 was killed by signal 9 (Killed); restart 1 of 1");
}

TEST_F(Restart, NoMoreOftenThanAsked) {
  const Outcome outcome = mgdm("launch -n 2 --restarts 2 -- train nowhere.toml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_MENTIONS(outcome.err, "; restart 2 of 2");
  EXPECT_EQ(outcome.err.find("restart 3"), std::string::npos);
}

TEST_F(Restart, TorchrunStartsAllAgain) {
  const std::string torchrun = "torchrun ";
  if (std::system((torchrun + "--help >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "torchrun is not installed (Debian: python3-torch)";
  // Debian's torchrun 1.13 knows no hyphens in flags, and under Python 3.11 fails without
  // --redirects and --tee.
  expect_to_survive_a_kill(torchrun + "--no_python --standalone --nproc_per_node 2 " +
                           "--max_restarts 1 --monitor_interval 1 --redirects 1 --tee 2 " +
                           "--log_dir " + path("logs") + " " + program(train("run")));
}

// Slurm starts a requeued job by the same command.
TEST_F(Restart, ARequeuedJobIsResumed) {
  const std::string more = train("run") + " training.steps=4";
  ASSERT_EQ(mgdm(more, "SLURM_RESTART_COUNT=1").code, 0) << "nothing to resume is no error";
  EXPECT_EQ(mgdm(more).code, 1);
  const Outcome again = mgdm(more, "SLURM_RESTART_COUNT=1");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_MENTIONS(again.err, "going on from " + path("run/checkpoint-4"));
}

// Two network namespaces stand for two machines; a pair of virtual Ethernet devices joins them.
class TwoMachines : public Restart {
 protected:
  void SetUp() override {
    Restart::SetUp();
    if (IsSkipped()) return;
    if (::geteuid() != 0 || !shell("ip netns add " + name(0)))
      GTEST_SKIP() << "network namespaces need root and iproute2";
    const std::string a = name(0), b = name(1);
    ASSERT_TRUE(shell("ip netns add " + b));
    ASSERT_TRUE(shell("ip -n " + a + " link add eth0 type veth peer name eth0 netns " + b));
    for (const int machine : {0, 1}) {
      const std::string in = "ip -n " + name(machine) + " ";
      ASSERT_TRUE(shell(in + "addr add " + address(machine) + "/24 dev eth0"));
      ASSERT_TRUE(shell(in + "link set eth0 up") && shell(in + "link set lo up"));
    }
  }
  void TearDown() override {
    for (const int machine : {0, 1}) shell("ip netns del " + name(machine));
    Restart::TearDown();
  }

  static bool shell(const std::string& command) {
    return std::system((command + " 2>/dev/null").c_str()) == 0;
  }
  static std::string name(int machine) {
    return "mgdm-" + std::to_string(::getpid()) + "-" + std::to_string(machine);
  }
  static std::string address(int machine) { return "10.97.0." + std::to_string(machine + 1); }
  std::string errors(int machine) const { return path("err" + std::to_string(machine)); }

  std::unique_ptr<BackgroundProcess> start(int machine, const std::string& arguments) const {
    return std::make_unique<BackgroundProcess>(
        "WORLD_SIZE=2 MASTER_PORT=29500 MASTER_ADDR=" + address(0) +
            " RANK=" + std::to_string(machine) + " exec ip netns exec " + name(machine) + " " +
            program(arguments),
        errors(machine));
  }
};

TEST_F(TwoMachines, OneIsLostAndComesBack) {
  auto first = start(0, train("run")), second = start(1, train("run"));
  ASSERT_TRUE(has_saved("run")) << read_file(errors(0)) << read_file(errors(1));
  ASSERT_TRUE(shell("ip -n " + name(1) + " link set eth0 down"));
  EXPECT_EQ(first->wait(60), 1);  // no packet tells it: the watch does
  EXPECT_MENTIONS(read_file(errors(0)), "rank 0 lost rank 1");
  EXPECT_EQ(second->wait(60), 1);
  ASSERT_TRUE(shell("ip -n " + name(1) + " link set eth0 up"));
  first = start(0, train("run") + " --resume");
  second = start(1, train("run"));
  ASSERT_EQ(first->wait(200), 0) << read_file(errors(0));
  EXPECT_EQ(second->wait(60), 0) << read_file(errors(1));
  EXPECT_EQ(learned("run"), learned_without_loss());
}

}  // namespace
}  // namespace mgdm
