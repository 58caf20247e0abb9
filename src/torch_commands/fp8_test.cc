#include <gtest/gtest.h>

#include "base/error.h"
#include "compat/device.h"
#include "torch_commands/bench_report.h"
#include "torch_commands/bench_train.h"
#include "torch_commands/start_model.h"

namespace mgdm::torch_commands {
namespace {

spec::Recipe fp8_recipe() {
  spec::Recipe recipe =
      spec::read_recipe(std::string(MGDM_SOURCE_DIR) + "/recipes/smoke/mgdm.toml",
                        {"training.fp8=true", "model.width=64", "training.batch=32"});
  recipe.data.threads = 1;
  return recipe;
}

TEST(Fp8, IsRefusedWhereNoDeviceHasIt) {
  spec::Recipe recipe = fp8_recipe();
  recipe.training.device = "cpu";
  EXPECT_THROW(check_device(recipe, c10::Device(c10::kCPU)), Error);
  EXPECT_THROW(bench_train(recipe, {.turns = 1, .steps = 1}), Error);
  recipe.training.fp8 = false;
  EXPECT_NO_THROW(check_device(recipe, c10::Device(c10::kCPU)));
}

TEST(Fp8, IsComparedBeforeItIsTimed) {
  if (!compat::cuda_available() || !compat::has_fp8_products(compat::device("cuda")))
    GTEST_SKIP() << "no CUDA device with fp8";
  spec::Recipe recipe = fp8_recipe();
  recipe.training.device = "cuda";
  const TrainSpeed speed = bench_train(recipe, {.turns = 1, .steps = 2});
  ASSERT_TRUE(speed.fp8_difference);
  EXPECT_GT(*speed.fp8_difference, 0);  // it was fp8 indeed
  recipe.training.fp8 = false;
  EXPECT_FALSE(bench_train(recipe, {.turns = 1, .steps = 2}).fp8_difference);
}

TEST(Fp8, DifferenceIsReported) {
  TrainSpeed speed{.parameters = 100, .length = 8, .batch = 4, .ms = 2, .device = "GPU"};
  EXPECT_FALSE(to_json(speed).contains("fp8_difference"));
  speed.fp8_difference = 0.0125;
  EXPECT_EQ(to_json(speed)["fp8_difference"], 0.0125);
  EXPECT_NE(to_text(speed).find("fp8: 1.25 % off the first step in bf16"), std::string::npos);
}

}  // namespace
}  // namespace mgdm::torch_commands
