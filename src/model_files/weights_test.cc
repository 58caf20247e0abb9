#include "model_files/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "support/error_of.h"

namespace mgdm::model_files {
namespace {

using formats::Dtype;
using formats::Safetensors;
using formats::TensorView;

spec::ModelSettings small(const std::string& architecture) {
  spec::ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.heads = 2;
  settings.width = 8;
  settings.positions = 10;
  settings.vocabulary = 9;
  return settings;
}

std::int64_t numbers_in(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// A file with the tensors of a model, which a test may change before it is opened.
class File {
 public:
  explicit File(const spec::ModelSettings& settings) : settings_(settings), bytes_(1 << 16) {
    for (const spec::TensorSpec& tensor : spec::tensors_of(settings)) {
      std::vector<std::int64_t> shape = tensor.shape;
      if (stored_transposed(settings, tensor)) std::ranges::reverse(shape);
      add(tensor.name, shape);
    }
    std::ranges::reverse(tensors);  // no order is promised
  }

  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    const auto size = static_cast<std::size_t>(numbers_in(shape)) * sizeof(float);
    tensors.push_back({name, Dtype::kF32, shape, std::span(bytes_).first(size)});
  }

  TensorView& operator[](const std::string& name) {
    return *std::ranges::find(tensors, name, &TensorView::name);
  }

  std::vector<std::string> names() const {
    const Safetensors file("model", tensors, {}, {});
    std::vector<std::string> found;
    for (const TensorView* view : weights_in(file, settings_)) found.push_back(view->name);
    return found;
  }

  std::string refusal() const {
    return error_of([&] { names(); });
  }

  std::vector<TensorView> tensors;

 private:
  spec::ModelSettings settings_;
  std::vector<std::byte> bytes_;
};

TEST(Tensors, CountAsThePaperDoes) {
  spec::ModelSettings tiny;  // the paper's 6M: 3 layers, width 384
  tiny.positions = 64;
  std::int64_t expected = (31 + 64) * 384 + 2 * 384;  // both tables and the last norm
  expected += 3 * (12 * 384 * 384 + 13 * 384);        // a block's matrices, biases and norms
  EXPECT_EQ(spec::parameter_count(tiny), expected);

  spec::ModelSettings looped = small("looped");
  EXPECT_EQ(spec::parameter_count(looped), 9 * 8 + 10 * 8 + 2 * 12 * 64 + 9 * 8);
  looped.frozen_embedding = true;
  EXPECT_EQ(spec::parameter_count(looped), 9 * 8 + 10 * 8 + 2 * 8 + 2 * 12 * 64 + 9 * 8);
}

TEST(Weights, StandInTheOrderOfTheModel) {
  for (const std::string architecture : {"gpt2", "looped"}) {
    const spec::ModelSettings settings = small(architecture);
    std::vector<std::string> expected;
    for (const spec::TensorSpec& tensor : spec::tensors_of(settings))
      expected.push_back(tensor.name);
    EXPECT_EQ(File(settings).names(), expected);
  }
}

TEST(Weights, OfGpt2ComeWithoutPrefixAndWithOldMasks) {
  File file(small("gpt2"));
  for (TensorView& tensor : file.tensors)
    tensor.name = tensor.name.substr(std::string("transformer.").size());
  file.add("h.1.attn.masked_bias", {});
  file.add("lm_head.weight", {9, 8});  // the token embedding once more
  EXPECT_EQ(file.names().front(), "wte.weight");
  file["lm_head.weight"].shape = {8, 9};
  EXPECT_NE(file.refusal().find("differs from the token embedding"), std::string::npos);
}

TEST(Weights, NameWhatDoesNotFit) {
  const auto refused = [](auto change, const std::string& saying) {
    File file(small("looped"));
    change(file);
    EXPECT_NE(file.refusal().find(saying), std::string::npos) << file.refusal();
  };
  refused([](File& file) { file["head"].name = "tail"; }, "tensor 'head' is missing");
  refused([](File& file) { file["head"].shape = {8, 9}; }, "tensor 'head' has shape (8, 9)");
  refused([](File& file) { file["head"].dtype = Dtype::kI32; }, "tensor 'head' is of type I32");
  refused([](File& file) { file.add("more", {2}); }, "tensor 'more' of shape (2) is unexpected");
  EXPECT_EQ(File(small("looped")).refusal(), "");
}

}  // namespace
}  // namespace mgdm::model_files
