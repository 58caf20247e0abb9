// VDM from the first step to an answer: a network learns to turn three letters round.
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/rows.h"
#include "distributed/process_group.h"
#include "engine/ancestral.h"
#include "nn/batch_tensors.h"
#include "objectives/objective.h"
#include "training/step.h"

namespace mgdm::torch_commands {
namespace {

constexpr data::Token kLetters = 4;
constexpr std::size_t kAll = kLetters * kLetters * kLetters, kRowLength = 8;

// All words a b c of four letters: a b c [SEP] c b a [EOS].
data::Rows words() {
  data::Rows rows(kAll, kRowLength);
  for (std::size_t i = 0; i < kAll; ++i) {
    rows.items[i] = static_cast<std::uint32_t>(i);
    const auto letter = [](std::size_t which) {
      return static_cast<data::Token>(data::kSpecialTokens + which % kLetters);
    };
    const data::Token a = letter(i), b = letter(i / kLetters), c = letter(i / kLetters / kLetters);
    const data::Token row[kRowLength] = {a, b, c, data::kSep, c, b, a, data::kEos};
    std::copy(std::begin(row), std::end(row), rows[i].tokens.begin());
    std::fill_n(rows[i].frozen.begin(), 4, 1);
  }
  return rows;
}

TEST(Vdm, LearnsToTurnWordsRound) {
  spec::ModelSettings settings;
  settings.layers = 2;
  settings.heads = 2;
  settings.width = 32;
  settings.positions = kRowLength;
  settings.dropout = 0;
  settings.shift = false;
  settings.vocabulary = data::kSpecialTokens + kLetters;
  settings.vectors = 8;
  const auto model = nn::make_model(settings, 1);
  objectives::Settings asked;
  asked.kind = "vdm";
  asked.self_condition = 0.25;
  asked.vocabulary = settings.vocabulary;
  const auto objective = objectives::make_objective(asked, &model->parameters());
  distributed::ProcessGroup group{c10::Device(c10::kCPU)};
  spec::TrainingSettings training;
  training.batch = kAll;
  spec::OptimizerSettings optimizer;
  optimizer.lr = 3e-3;
  training::TrainingState state(*model, optimizer, /*ema_decay=*/0);
  training::TrainingStep step(state, *objective, group, training, optimizer.clip, /*seed=*/1,
                              {0, kAll}, kRowLength);
  data::Batch batch;
  batch.rows = words();
  std::vector<double> losses;
  for (std::uint64_t i = 0; i < 200; ++i) {
    batch.step = i;
    step.run(batch, 1, {});
    losses.push_back(step.loss());
  }
  const auto mean = [](auto begin, auto end) {
    return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  };
  const double first = mean(losses.begin(), losses.begin() + 20);
  const double last = mean(losses.end() - 20, losses.end());
  EXPECT_LT(last, 0.2 * first);

  const nn::TensorRows rows = nn::tensors_of(words(), c10::Device(c10::kCPU));
  spec::DecodingSettings decoding;
  decoding.steps = 20;
  const at::Tensor answers =
      engine::decode_ancestral(*model, {rows.tokens, rows.frozen, rows.items}, decoding).tokens;
  const auto right = (answers == rows.tokens).all(1).sum().item<std::int64_t>();
  EXPECT_GE(right, 58) << "of 64; the loss went from " << first << " to " << last;
}

}  // namespace
}  // namespace mgdm::torch_commands
