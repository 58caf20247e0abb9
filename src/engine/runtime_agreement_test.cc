// The room runtime computes what LibTorch's networks compute: for small random models of every kind
// and for the shipped ones.
#include <gtest/gtest.h>

#ifdef MGDM_HAVE_RUNTIME

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/random.h"
#include "engine/decoding_kernels.h"
#include "model_files/checkpoint_config.h"
#include "nn/batch_tensors.h"
#include "nn/checkpoint.h"
#include "runtime/network.h"
#include "spec/puzzle_rows.h"
#include "tasks/all_tasks.h"

namespace mgdm::engine {
namespace {

namespace fs = std::filesystem;

// The tolerance of logits up to 20; it grows with larger ones.
constexpr float kTolerance = 1e-4f, kUsualSize = 20;

data::Rows random_rows(const spec::ModelSettings& settings, std::size_t count) {
  data::Rows rows(count, static_cast<std::size_t>(settings.positions));
  Stream random(4, Purpose::kTest, 0);
  for (data::Token& token : rows.tokens)
    token = random.below(static_cast<std::uint32_t>(settings.vocabulary));
  for (std::uint8_t& given : rows.frozen) given = static_cast<std::uint8_t>(random.below(2));
  return rows;
}

// Puzzles that the trained model was made for: on nonsense some models amplify the last bits. A
// model that answers left to right never saw a [MASK].
data::Rows puzzle_rows(const fs::path& folder, const model_files::CheckpointConfig& config) {
  const spec::PuzzleRows rows(config.about.card.value(),
                              model_files::read_vocabulary(folder, config));
  const std::string name = rows.task().name();
  data::Rows puzzles(3, rows.length());
  for (const std::vector<std::string>& kind : tasks::family_of(name).kinds) {  // until they fit
    const auto task = tasks::make_task(name, tasks::Options(kind));
    try {
      for (std::uint32_t i = 0; i < 3; ++i) {
        const tasks::Example example = task->generate(4, tasks::Split::kTest, i);
        if (config.settings.causal)
          rows.write_example(example, puzzles[i]);
        else
          rows.write_puzzle(example.input, puzzles[i]);
      }
      return puzzles;
    } catch (const Error&) {
      continue;
    }
  }
  throw Error("no puzzle fits into the rows of this model");
}

// As if the logits were of the usual size.
float largest_difference(std::span<const float> ours, const at::Tensor& theirs) {
  const at::Tensor flat = theirs.contiguous();
  const float* const numbers = flat.data_ptr<float>();
  float largest = 0, size = kUsualSize;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    largest = std::max(largest, std::abs(ours[i] - numbers[i]));
    size = std::max(size, std::abs(numbers[i]));
  }
  return largest * kUsualSize / size;
}

// Whole rows, with the trained number of loops and another.
void compare_rows(nn::Model& model, decoding::Network& network, const data::Rows& rows) {
  const auto tensors = nn::tensors_of(rows, model.device());
  std::vector<float> logits(rows.tokens.size() * network.vocabulary());
  for (const std::int64_t loops : {0, 2}) {
    network.logits({rows.count(), rows.length, rows.tokens, rows.frozen}, loops, logits);
    const at::NoGradGuard no_grad;
    const at::Tensor theirs =
        predictor_of(model, /*bf16=*/false, loops)(tensors.tokens, tensors.frozen).logits();
    EXPECT_LT(largest_difference(logits, theirs), kTolerance);
  }
}

// A row read in pieces.
void compare_reading(nn::Model& model, decoding::Network& network, const data::Rows& rows) {
  const at::NoGradGuard no_grad;
  const auto tensors = nn::tensors_of(rows, model.device());
  const at::Tensor row = tensors.tokens.slice(0, 0, 1);
  nn::Cache cache;
  const auto sequence = network.start(0);
  std::vector<float> logits(network.vocabulary());
  std::size_t read = 0;
  for (const std::size_t piece : {5u, 1u, 1u, 3u}) {
    const decoding::Reading reading{sequence.get(), std::span(rows.tokens).subspan(read, piece)};
    network.next_logits({&reading, 1}, logits);
    const auto from = static_cast<std::int64_t>(read);
    read += piece;
    const at::Tensor tokens = row.slice(1, from, static_cast<std::int64_t>(read));
    EXPECT_LT(largest_difference(logits, model.next_logits(tokens, cache)), kTolerance);
  }
}

void compare(const fs::path& folder, const spec::ModelSettings& settings, const data::Rows& rows) {
  const auto model = nn::make_model(settings, /*seed=*/{});
  nn::load_weights(folder, *model);
  const auto network = runtime::load_network(folder, settings, {.threads = 2});
  compare_rows(*model, *network, rows);
  if (settings.causal) compare_reading(*model, *network, rows);
}

TEST(RuntimeAgreement, OnShippedModels) {
  for (const auto& entry : fs::directory_iterator(MGDM_SOURCE_DIR "/models")) {
    SCOPED_TRACE(entry.path().filename());
    const model_files::CheckpointConfig config = model_files::read_config(entry.path());
    compare(entry.path(), config.settings, puzzle_rows(entry.path(), config));
  }
}

TEST(RuntimeAgreement, OnSmallModelsOfEveryKind) {
  struct Kind {
    const char* architecture;
    bool causal, shift, frozen_embedding, loop_norm;
  };
  for (const Kind& kind :
       {Kind{"gpt2", false, true, false, false}, Kind{"gpt2", false, false, false, false},
        Kind{"gpt2", true, true, false, false}, Kind{"looped", false, false, true, true},
        Kind{"looped", false, true, false, false}, Kind{"looped", true, true, false, false},
        Kind{"looped", true, true, false, true}}) {
    spec::ModelSettings settings;
    settings.architecture = kind.architecture;
    settings.layers = 2;
    settings.heads = 3;
    settings.width = 27;
    settings.positions = 19;
    settings.loops = 3;
    settings.vocabulary = 31;
    settings.causal = kind.causal;
    settings.shift = kind.shift;
    settings.frozen_embedding = kind.frozen_embedding;
    settings.loop_norm = kind.loop_norm;
    SCOPED_TRACE(testing::Message() << kind.architecture << kind.causal << kind.shift
                                    << kind.frozen_embedding << kind.loop_norm);
    const auto model = nn::make_model(settings, 7);
    {
      // Tensors that start at zero would hide what stands before them.
      const at::NoGradGuard no_grad;
      Stream random(5, Purpose::kTest, 0);
      for (const auto& parameter : model->parameters().all()) {
        at::Tensor value = parameter.value;
        float* const numbers = value.data_ptr<float>();
        for (std::int64_t i = 0; i < value.numel(); ++i) numbers[i] += random.uniform() - 0.5f;
      }
    }
    const fs::path folder = fs::path(testing::TempDir()) / "mgdm_runtime_agreement";
    nn::save_model(folder, *model, data::Vocabulary(), {}, {});
    compare(folder, settings, random_rows(settings, 3));
    fs::remove_all(folder);
  }
}

}  // namespace
}  // namespace mgdm::engine

#endif
