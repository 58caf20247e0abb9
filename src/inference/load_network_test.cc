#include "inference/load_network.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "inference/loaded_model.h"
#include "inference/solve.h"
#include "tasks/all_tasks.h"

namespace mgdm::inference {
namespace {

TEST(LoadCpuNetwork, RefusesOtherDevices) {
  try {
    load_cpu_network("nowhere", {}, {}, {.device = "cuda"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("full program"), std::string::npos) << error.what();
  }
}

#ifdef MGDM_HAVE_RUNTIME

TEST(LoadCpuNetwork, RefusesOtherArithmetic) {
  EXPECT_THROW(load_cpu_network("nowhere", {}, {}, {.arithmetic = "fp8"}), UsageError);
}

TEST(LoadCpuNetwork, ComputesAsTheCardSaysUnlessAskedOtherwise) {
  const std::string folder = MGDM_SOURCE_DIR "/models/quick-planning-mgdm";
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  const auto arithmetic = [&](const spec::ModelCard& card, const std::string& asked) {
    return load_cpu_network(folder, config, card, {.threads = 1, .arithmetic = asked}).arithmetic;
  };
  const spec::ModelCard card{.task = "planning", .arithmetic = "bf16"};
  EXPECT_EQ(arithmetic(card, "auto"), "bf16");
  EXPECT_EQ(arithmetic(card, "fp32"), "fp32");
  EXPECT_EQ(arithmetic({.task = "planning"}, "auto"), "fp32");
}

// Both ways of decoding, from a shipped model's files to the right answer.
TEST(LoadCpuNetwork, AnswersWithoutLibTorch) {
  for (const auto& [name, arithmetic] : {std::pair{"quick-planning-mgdm", "fp32"},
                                         {"quick-planning-mgdm", "bf16"},
                                         {"quick-planning-mgdm", "int8"},
                                         {"quick-planning-ar", "fp32"}}) {
    const LoadedModel model =
        LoadedModel::load(std::string(MGDM_SOURCE_DIR "/models/") + name,
                          {.device = "auto", .threads = 2, .arithmetic = arithmetic});
    EXPECT_EQ(model.network().device, "CPU");
    EXPECT_EQ(model.network().enough, 2 * kEnoughForAThread);
    const auto task = tasks::make_task("planning", {"nodes=4"});  // what both were trained on
    int right = 0;
    for (std::uint32_t i = 0; i < 6; ++i)
      right +=
          solve(model, task->generate(3, tasks::Split::kTest, i).input, i, model.card().decoding)
              .check.right();
    EXPECT_GE(right, std::string(name).ends_with("ar") ? 2 : 6) << name;
  }
}

#endif

}  // namespace
}  // namespace mgdm::inference
