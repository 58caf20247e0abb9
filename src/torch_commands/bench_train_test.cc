#include "torch_commands/bench_train.h"

#include <gtest/gtest.h>

#include "spec/tensors.h"

namespace mgdm::torch_commands {
namespace {

spec::Recipe recipe_named(const std::string& name) {
  return spec::read_recipe(MGDM_SOURCE_DIR "/recipes/" + name + ".toml", {});
}

TEST(StepTime, SmallRecipesStayAsTheyAre) {
  const spec::Recipe smoke = recipe_named("smoke/mgdm");
  const spec::Recipe small = small_sister(smoke, /*on_gpu=*/false);
  EXPECT_EQ(small.training.batch, smoke.training.batch);
  EXPECT_EQ(small.model.layers, smoke.model.layers);
  EXPECT_GT(seconds_per_step(smoke), 0);
}

TEST(StepTime, LargeOnesGetFewerLayersAndRows) {
  for (const char* name : {"paper/planning-xl-ar", "paper/countdown-4-llama-13b-lora"}) {
    const spec::Recipe whole = recipe_named(name);
    const spec::Recipe small = small_sister(whole, /*on_gpu=*/false);
    EXPECT_EQ(small.model.width, whole.model.width) << name;
    EXPECT_LT(small.model.layers, whole.model.layers) << name;
    EXPECT_LE(small.training.batch, 16) << name;
    EXPECT_LE(training_flop(small.model, small.training.batch, small.data.length), 2e11) << name;
    EXPECT_LE(spec::parameter_count(small.model), 1'000'000'000) << name;
    EXPECT_LE(small.training.accumulate, small.training.batch) << name;
    // On a GPU as much as can be learned from.
    EXPECT_GT(small_sister(whole, /*on_gpu=*/true).training.batch, 8) << name;
  }
}

// A multiplication and an addition per weight and token, and twice that backwards.
TEST(TrainingFlop, CountsBlocksAttentionAndHead) {
  spec::ModelSettings model;
  model.layers = 3;
  model.width = 4;
  model.vocabulary = 10;
  const double rows = 5, length = 7, weights = 3 * 12 * 4 * 4 + 10 * 4;
  const double attention = 3 * 2 * length * 4;  // of a token's queries, keys and values
  EXPECT_EQ(training_flop(model, 5, 7), 3 * 2 * rows * length * (weights + attention));
}

}  // namespace
}  // namespace mgdm::torch_commands
