// VDM from the first step to an answer: a network learns to turn three letters round.
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/rows.h"
#include "decoding/slots.h"
#include "distributed/process_group.h"
#include "engine/load_torch_network.h"
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

  data::Rows rows = words();
  std::int64_t right = 0;
  const inference::LoadedNetwork network = engine::torch_network(
      std::shared_ptr<nn::Model>(model.get(), [](nn::Model*) {}), /*bf16=*/false);
  decoding::Slots slots(*network.network, {network.decoders.front().get()});
  for (std::size_t i = 0; i < kAll; ++i) {
    decoding::Try one;
    one.puzzle.tokens.assign(rows[i].tokens.begin(), rows[i].tokens.end());
    one.puzzle.frozen.assign(rows[i].frozen.begin(), rows[i].frozen.end());
    one.puzzle.item = rows.items[i];
    one.puzzle.settings.decoder = decoding::Decoder::kAncestral;
    slots.join(one);
  }
  while (slots.active() > 0)
    for (const decoding::TryResult& result : slots.pass())
      right += std::ranges::equal(result.tokens, rows[result.slot].tokens);
  EXPECT_GE(right, 58) << "of 64; the loss went from " << first << " to " << last;
}

}  // namespace
}  // namespace mgdm::torch_commands
