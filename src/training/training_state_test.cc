#include "training/training_state.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/checksums.h"
#include "nn/tensor_bytes.h"
#include "training/test_support.h"

namespace mgdm::training {
namespace {

namespace fs = std::filesystem;

constexpr double kEma = 0.9;

class States : public testing::Test {
 protected:
  // A state some steps from where its seed starts.
  struct Trained {
    Trained(const data::PreparedData& data, std::uint64_t seed, double ema, int steps)
        : model(nn::make_model(small_model(data), seed)), state(*model, OptimizerSettings(), ema) {
      for (int step = 0; step < steps; ++step) {
        for (const nn::Parameter& parameter : model->parameters().all()) {
          at::Tensor value = parameter.value;
          value.mutable_grad() = (value.detach() * 7 + step).sin();
        }
        state.optimizer->step(0.5);
        if (state.ema) state.ema->update();
      }
      state.position = {steps, 0.25 * steps};
    }

    std::unique_ptr<nn::Model> model;
    TrainingState state;
  };

  Trained trained(std::uint64_t seed, double ema, int steps) const {
    return {data_, seed, ema, steps};
  }

  // As the run folder does it.
  fs::path write(const TrainingState& state, const nn::TensorFiles& files = {}) const {
    const fs::path folder = temporary_.path() / fmt::format("checkpoint-{}", state.position.step);
    fs::create_directories(folder);
    state.write(folder, data_.vocabulary, {}, files);
    return folder;
  }

  using Tensors = std::vector<at::Tensor>;

  static Tensors weights(const TrainingState& state) {
    Tensors all;
    for (const nn::Parameter& parameter : state.model.parameters().all())
      all.push_back(parameter.value.detach());
    return all;
  }

  static Tensors all_of(const TrainingState& state) {
    Tensors all = weights(state);
    if (state.ema)
      for (const at::Tensor& average : state.ema->averages()) all.push_back(average);
    for (const nn::NamedTensor& tensor : state.optimizer->state()) all.push_back(tensor.value);
    return all;
  }

  static Tensors copies(const Tensors& tensors) {
    Tensors all;
    for (const at::Tensor& tensor : tensors) all.push_back(nn::host_copy(tensor));
    return all;
  }

  static void expect_equal(const Tensors& a, const Tensors& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i])) << i;
  }

  static at::Tensor first_weight(const TrainingState& state) {
    return state.model.parameters().all().front().value.detach();
  }

  const data::PreparedData data_ = small_data();
  const formats::TemporaryFolder temporary_;
};

TEST_F(States, ComeBackBitForBit) {
  for (const double ema : {0.0, kEma}) {
    const Trained saved = trained(1, ema, 5);
    const fs::path folder = write(saved.state);
    Trained back = trained(2, ema, 3);
    EXPECT_FALSE(at::equal(first_weight(saved.state), first_weight(back.state)));
    EXPECT_EQ(back.state.read(folder), TrainingState::Restored::kExactly);
    expect_equal(all_of(saved.state), all_of(back.state));
    EXPECT_EQ(back.state.position.step, 5);
    EXPECT_EQ(back.state.position.seconds, 1.25);
    EXPECT_EQ(fs::exists(folder / "raw.safetensors"), ema > 0);
  }
}

// bf16 keeps 8 bits, so a number is off by at most 2^-8 of itself.
TEST_F(States, ComeBackCloselyFromCompactFiles) {
  for (const double ema : {0.0, kEma}) {
    const Trained saved = trained(1, ema, 5);
    const fs::path folder = write(saved.state, {.compact = true});
    Trained back = trained(2, ema, 3);
    EXPECT_EQ(back.state.read(folder), TrainingState::Restored::kClosely);
    EXPECT_EQ(back.state.position.step, 5);
    expect_equal(weights(saved.state), weights(back.state));  // always as they are
    const auto before = all_of(saved.state), after = all_of(back.state);
    bool rounded = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(at::allclose(after[i], before[i], /*rtol=*/0x1p-8, /*atol=*/0)) << i;
      rounded |= !at::equal(after[i], before[i]);
    }
    EXPECT_TRUE(rounded);
  }
}

TEST_F(States, ComputeWithTheAveragesWhileAskedTo) {
  const Trained one = trained(1, kEma, 5);
  const auto own = copies(weights(one.state)), averages = copies(one.state.ema->averages());
  {
    const auto in_use = one.state.averaged();
    expect_equal(weights(one.state), averages);
  }
  expect_equal(weights(one.state), own);
  EXPECT_EQ(trained(1, 0, 5).state.averaged(), nullptr);
}

TEST_F(States, AreFiniteWhenEveryWeightAndAverageIs) {
  for (const double wrong : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Trained weights = trained(1, kEma, 2), averages = trained(1, kEma, 2);
    EXPECT_TRUE(weights.state.finite());
    first_weight(weights.state).view(-1)[5].fill_(wrong);
    EXPECT_FALSE(weights.state.finite());
    averages.state.ema->averages().back().view(-1)[0].fill_(wrong);
    EXPECT_FALSE(averages.state.finite());
  }
}

TEST_F(States, RefuseAFlippedBitInAnyFile) {
  const Trained saved = trained(1, kEma, 4);
  const fs::path folder = write(saved.state);
  formats::write_checksums(folder);
  for (const char* name :
       {"model.safetensors", "raw.safetensors", "optimizer.safetensors", "trainer_state.json"}) {
    const std::string bytes = read_file(folder / name);
    std::string flipped = bytes;
    flipped[bytes.size() - 7] ^= 1;
    write_file((folder / name).string(), flipped);
    Trained other = trained(2, kEma, 0);
    EXPECT_CONTAINS(error_of([&] { other.state.read(folder); }), name);
    write_file((folder / name).string(), bytes);
    EXPECT_NO_THROW(other.state.read(folder));
  }
}

TEST_F(States, RefuseAPositionThatIsNotTheirs) {
  const Trained saved = trained(1, 0, 4);
  const fs::path folder = write(saved.state);
  const std::string place = (folder / "trainer_state.json").string();
  const auto read = [&](const std::string& text) {
    write_file(place, text);
    Trained other = trained(2, 0, 0);
    return error_of([&] { other.state.read(folder); });
  };
  EXPECT_EQ(read(R"({"step": 4, "seconds": 3.5})"), "");
  EXPECT_EQ(read(R"({"step": 4, "seconds": 0})"), "");
  for (const std::string text :
       {R"({"step": 8, "seconds": 3.5})", R"({"step": -4, "seconds": 3.5})",
        R"({"step": 4.5, "seconds": 3.5})", R"({"step": 1e300, "seconds": 3.5})",
        R"({"step": 18446744073709551615, "seconds": 3.5})", R"({"step": "4", "seconds": 3.5})",
        R"({"step": 4, "seconds": -1})", R"({"step": 4, "seconds": 1e300})",
        R"({"step": 4, "seconds": null})", R"({"step": 4})", R"([4, 3.5])", "{"}) {
    const std::string error = read(text);
    EXPECT_CONTAINS(error, place);
    EXPECT_CONTAINS(error, "step 4");
  }
}

}  // namespace
}  // namespace mgdm::training
