// VDM in the loop: parameters of the objective's own are trained, saved and resumed like the rest.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "nn/checkpoint.h"
#include "nn/tensor_bytes.h"
#include "training/step.h"
#include "training/test_support.h"

namespace mgdm::training {
namespace {

namespace fs = std::filesystem;

void make_vdm(SmallRun& run) {
  run.network.vectors = 4;
  run.network.shift = false;
  run.network.dropout = 0;
  run.minimised.kind = "vdm";
  run.minimised.self_condition = 0.5;
}

TEST(TrainVdm, GoesOnBitForBit) {
  SmallRun whole, cut;
  cut.name = "cut";
  for (SmallRun* run : {&whole, &cut}) {
    make_vdm(*run);
    run->training.ema = 0.9;
  }
  cut.training.checkpoint_every = 3;
  const fs::path one = whole.train();
  cut.train();
  fs::remove_all(cut.path() / "checkpoint-6");
  cut.model = nn::make_model(cut.network, 99);  // all of it comes from the files
  const fs::path other = cut.train(/*resume=*/true);
  for (const char* name : {"model.safetensors", "raw.safetensors", "optimizer.safetensors"})
    EXPECT_EQ(read_file(one / name), read_file(other / name)) << name;
  EXPECT_EQ(cut.measured("loss"), whole.measured("loss"));
}

TEST(TrainVdm, LearnsTheTensorsOfItsOwnAndSavesThem) {
  SmallRun run;
  make_vdm(run);
  const fs::path saved = run.train();
  const auto fresh = nn::make_model(run.network, 1);
  const auto loaded = nn::load_model(saved);
  EXPECT_EQ(loaded.model->settings().vectors, 4);
  std::size_t own = 0;
  for (const nn::Parameter& parameter : loaded.model->parameters().all()) {
    EXPECT_TRUE(at::equal(parameter.value, run.model->parameters().at(parameter.name)));
    if (!parameter.name.starts_with("transformer.vdm.")) continue;
    ++own;
    EXPECT_FALSE(at::equal(parameter.value, fresh->parameters().at(parameter.name)))
        << parameter.name << " was not trained";
  }
  EXPECT_EQ(own, 10u);
}

// The gradients of a batch in parts, or of two halves as two processes have them, are those of the
// whole: times are spread over the whole batch wherever its rows are.
TEST(TrainVdm, StepsOfSeveralPartsEqualThatOfOne) {
  SmallRun run;
  make_vdm(run);
  constexpr std::uint64_t kVdmSeed = 1;
  const auto gradients = [&](std::int64_t accumulate) {
    run.training.accumulate = accumulate;
    const auto model = nn::make_model(run.network, 2);
    const auto objective = small_objective(run.data, run.minimised, &model->parameters());
    TrainingState state(*model, run.optimizer, /*ema_decay=*/0);
    TrainingStep step(state, *objective, run.group, run.training, /*clip=*/0, kVdmSeed, {0, 8},
                      run.data.train.length());
    data::Batches batches(run.data.train, 8, kVdmSeed);
    step.run(batches.next(), 1, {});
    std::vector<at::Tensor> all;
    for (const nn::Parameter& parameter : model->parameters().all())
      all.push_back(nn::host_copy(parameter.value.grad()));
    return std::pair(step.loss(), all);
  };
  const auto [loss, whole] = gradients(1);
  const auto [same_loss, same] = gradients(3);
  EXPECT_NEAR(same_loss, loss, 1e-5 * loss);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    // These sums have the same terms in another order, about a thousand of them.
    const double largest = whole[i].abs().max().item<double>();
    EXPECT_LE((whole[i] - same[i]).abs().max().item<double>(), 1e-4 * largest) << i;
  }
}

}  // namespace
}  // namespace mgdm::training
