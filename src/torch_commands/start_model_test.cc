#include "torch_commands/start_model.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/test_support.h"
#include "nn/checkpoint.h"

namespace mgdm::torch_commands {
namespace {

spec::Recipe small_recipe() {
  spec::Recipe recipe;
  recipe.model.architecture = "looped";
  recipe.model.layers = 1;
  recipe.model.heads = 2;
  recipe.model.width = 8;
  recipe.model.loops = 2;
  recipe.model.positions = 12;
  return recipe;
}

// A recipe that begins with the weights of a model, which are on disk.
class StartModel : public testing::Test {
 protected:
  void SetUp() override {
    nn::save_model(first_, *model_, vocabulary_);
    recipe_.init = first_.string();
  }

  const formats::TemporaryFolder folder_;
  const std::filesystem::path first_ = folder_.path() / "first";
  const data::Vocabulary vocabulary_;
  spec::Recipe recipe_ = small_recipe();
  const std::shared_ptr<nn::Model> model_ = start_model(recipe_, vocabulary_, 12, c10::kCPU);
};

// A model for short rows as the beginning of one for longer rows: what it knows stays, and the
// positions that it lacks are drawn.
TEST_F(StartModel, FromWeightsWithFewerPositions) {
  recipe_.seed = 2;
  recipe_.model.positions = 20;
  const auto longer = start_model(recipe_, vocabulary_, 20, c10::kCPU);
  for (const nn::Parameter& parameter : model_->parameters().all()) {
    const at::Tensor& value = longer->parameters().at(parameter.name);
    EXPECT_TRUE(at::equal(value.slice(0, 0, parameter.value.size(0)), parameter.value))
        << parameter.name;
    EXPECT_TRUE(value.requires_grad());
  }
  const at::Tensor& positions = longer->parameters().at("embed.positions");
  ASSERT_EQ(positions.size(0), 20);
  EXPECT_TRUE(positions.slice(0, 12).abs().sum(1).gt(0).all().item<bool>());

  recipe_.model.width = 16;  // nothing else may differ
  EXPECT_THROW(start_model(recipe_, vocabulary_, 20, c10::kCPU), Error);
}

// Heads are in no shape of a weight: it would be loaded, and mean something else.
TEST_F(StartModel, RefusesWeightsOfAnotherNetworkThatFit) {
  spec::Recipe heads = recipe_, shift = recipe_;
  heads.model.heads = recipe_.model.heads == 1 ? 2 : 1;
  EXPECT_CONTAINS(error_of([&] { start_model(heads, vocabulary_, 12, c10::kCPU); }),
                  "has heads = ");
  EXPECT_NO_THROW(check_start(recipe_, vocabulary_));
  EXPECT_THROW(check_start(heads, vocabulary_), Error);
  shift.model.shift = !recipe_.model.shift;
  EXPECT_CONTAINS(error_of([&] { start_model(shift, vocabulary_, 12, c10::kCPU); }),
                  "has shift = ");
}

// All that differs, in one message; and before there are rows.
TEST_F(StartModel, TellsWhatIsWrongWithItsWeightsBeforeThereIsData) {
  spec::Recipe other = recipe_;
  other.model.layers = 2;
  other.model.width = 16;
  const std::string error = error_of([&] { check_start(other, vocabulary_); });
  EXPECT_CONTAINS(error, "has layers = 1, width = 8");
  EXPECT_CONTAINS(error, "model.layers = 2, model.width = 16, as the recipe says");
  EXPECT_CONTAINS(error, "model.layers=1 model.width=8");
  other = recipe_;
  other.model.vectors = 8;
  EXPECT_CONTAINS(error_of([&] { check_start(other, vocabulary_); }), "has vectors = 0");
  other = recipe_;
  other.data.length = 13;
  EXPECT_CONTAINS(error_of([&] { check_start(other, vocabulary_); }),
                  "model.positions = 12, but rows have 13 tokens");
  std::filesystem::remove(first_ / "model.safetensors");
  EXPECT_CONTAINS(error_of([&] { check_start(recipe_, vocabulary_); }), "model.safetensors");
}

}  // namespace
}  // namespace mgdm::torch_commands
