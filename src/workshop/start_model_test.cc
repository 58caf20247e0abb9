#include "workshop/start_model.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/test_support.h"
#include "nn/checkpoint.h"

namespace mgdm::workshop {
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

// A model for short rows as the beginning of one for longer rows: what it knows stays, and the
// positions that it lacks are drawn.
TEST(StartModel, FromWeightsWithFewerPositions) {
  const formats::TemporaryFolder folder;
  const data::Vocabulary vocabulary;
  spec::Recipe recipe = small_recipe();
  const auto first = start_model(recipe, vocabulary, 12, c10::kCPU);
  nn::save_model(folder.path() / "first", *first, vocabulary);
  recipe.init = (folder.path() / "first").string();
  recipe.seed = 2;
  recipe.model.positions = 20;
  const auto longer = start_model(recipe, vocabulary, 20, c10::kCPU);
  for (const nn::Parameter& parameter : first->parameters().all()) {
    const at::Tensor& value = longer->parameters().at(parameter.name);
    EXPECT_TRUE(at::equal(value.slice(0, 0, parameter.value.size(0)), parameter.value))
        << parameter.name;
    EXPECT_TRUE(value.requires_grad());
  }
  const at::Tensor& positions = longer->parameters().at("embed.positions");
  ASSERT_EQ(positions.size(0), 20);
  EXPECT_TRUE(positions.slice(0, 12).abs().sum(1).gt(0).all().item<bool>());

  recipe.model.width = 16;  // nothing else may differ
  EXPECT_THROW(start_model(recipe, vocabulary, 20, c10::kCPU), Error);
}

// Heads are in no shape of a weight: it would be loaded, and mean something else.
TEST(StartModel, RefusesWeightsOfAnotherNetworkThatFit) {
  const formats::TemporaryFolder folder;
  const data::Vocabulary vocabulary;
  spec::Recipe recipe = small_recipe();
  nn::save_model(folder.path() / "first", *start_model(recipe, vocabulary, 12, c10::kCPU),
                 vocabulary);
  recipe.init = (folder.path() / "first").string();
  spec::Recipe heads = recipe, shift = recipe;
  heads.model.heads = recipe.model.heads == 1 ? 2 : 1;
  EXPECT_CONTAINS(formats::error_of([&] { start_model(heads, vocabulary, 12, c10::kCPU); }),
                  "has heads = ");
  EXPECT_NO_THROW(check_start(recipe, vocabulary));
  EXPECT_THROW(check_start(heads, vocabulary), Error);
  shift.model.shift = !recipe.model.shift;
  EXPECT_CONTAINS(formats::error_of([&] { start_model(shift, vocabulary, 12, c10::kCPU); }),
                  "has shift = ");
}

// All that differs, in one message; and before there are rows.
TEST(StartModel, TellsWhatIsWrongWithItsWeightsBeforeThereIsData) {
  const formats::TemporaryFolder folder;
  const data::Vocabulary vocabulary;
  spec::Recipe recipe = small_recipe();
  nn::save_model(folder.path() / "first", *start_model(recipe, vocabulary, 12, c10::kCPU),
                 vocabulary);
  recipe.init = (folder.path() / "first").string();
  spec::Recipe other = recipe;
  other.model.layers = 2;
  other.model.width = 16;
  const std::string error = formats::error_of([&] { check_start(other, vocabulary); });
  EXPECT_CONTAINS(error, "has layers = 1, width = 8");
  EXPECT_CONTAINS(error, "model.layers = 2, model.width = 16, as the recipe says");
  EXPECT_CONTAINS(error, "model.layers=1 model.width=8");
  other = recipe;
  other.data.length = 13;
  EXPECT_CONTAINS(formats::error_of([&] { check_start(other, vocabulary); }),
                  "model.positions = 12, but rows have 13 tokens");
  std::filesystem::remove(folder.path() / "first/model.safetensors");
  EXPECT_CONTAINS(formats::error_of([&] { check_start(recipe, vocabulary); }), "model.safetensors");
}

}  // namespace
}  // namespace mgdm::workshop
