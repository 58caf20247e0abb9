#include "inference/cpu_engine.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "inference/reasoner.h"
#include "tasks/all_tasks.h"
#include "tasks/judge.h"

namespace mgdm::inference {
namespace {

TEST(CpuEngine, RefusesOtherDevices) {
  try {
    load_cpu_engine("nowhere", {}, {}, {.device = "cuda"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("full program"), std::string::npos) << error.what();
  }
}

#ifdef MGDM_HAVE_RUNTIME

TEST(CpuEngine, RefusesOtherArithmetic) {
  EXPECT_THROW(load_cpu_engine("nowhere", {}, {}, {.arithmetic = "fp8"}), UsageError);
}

TEST(CpuEngine, ComputesAsTheCardSaysUnlessAskedOtherwise) {
  const std::string folder = MGDM_SOURCE_DIR "/models/quick-planning-mgdm";
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  const auto arithmetic = [&](const spec::ModelCard& card, const std::string& asked) {
    return load_cpu_engine(folder, config, card, {.threads = 1, .arithmetic = asked})->arithmetic();
  };
  const spec::ModelCard card{.task = "planning", .arithmetic = "bf16"};
  EXPECT_EQ(arithmetic(card, "auto"), "bf16");
  EXPECT_EQ(arithmetic(card, "fp32"), "fp32");
  EXPECT_EQ(arithmetic({.task = "planning"}, "auto"), "fp32");
}

// Both ways of decoding, from a shipped model's files to the right answer.
TEST(CpuEngine, AnswersWithoutLibTorch) {
  for (const auto& [name, arithmetic] : {std::pair{"quick-planning-mgdm", "fp32"},
                                         {"quick-planning-mgdm", "bf16"},
                                         {"quick-planning-mgdm", "int8"},
                                         {"quick-planning-ar", "fp32"}}) {
    const Reasoner reasoner =
        Reasoner::load(std::string(MGDM_SOURCE_DIR "/models/") + name,
                       {.device = "auto", .threads = 2, .arithmetic = arithmetic});
    EXPECT_EQ(reasoner.engine().device(), "CPU");
    EXPECT_EQ(reasoner.engine().enough(), 2 * kEnoughForAThread);
    std::vector<std::string> inputs;
    std::vector<std::uint32_t> items;
    std::vector<tasks::Example> examples;
    const auto task = tasks::make_task("planning", {"nodes=4"});  // what both were trained on
    for (std::uint32_t i = 0; i < 6; ++i) {
      examples.push_back(task->generate(3, tasks::Split::kTest, i));
      inputs.push_back(examples.back().input);
      items.push_back(i);
    }
    const auto answers = reasoner.answer(inputs, items, reasoner.card().decoding);
    int right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i)
      right += tasks::judge(*task, examples[i], answers[i].text).correct;
    EXPECT_GE(right, std::string(name).ends_with("ar") ? 2 : 6) << name;
  }
}

#endif

}  // namespace
}  // namespace mgdm::inference
