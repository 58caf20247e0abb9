#include "training/training_state.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

  static at::Tensor first_weight(const TrainingState& state) {
    return state.model.parameters().all().front().value.detach();
  }

  const data::PreparedData data_ = small_data();
  const formats::TemporaryFolder temporary_;
};

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

TEST_F(States, RefuseAPositionThatIsNotTheirs) {
  const Trained saved = trained(1, 0, 4);
  const fs::path folder = write(saved.state);
  const std::string place = (folder / "trainer_state.json").string();
  const auto read = [&](const std::string& text) {
    write_file(place, text);
    Trained other = trained(2, 0, 0);
    return formats::error_of([&] { other.state.read(folder); });
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
    EXPECT_CONTAINS(error, "remove");
  }
}

}  // namespace
}  // namespace mgdm::training
