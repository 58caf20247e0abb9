#include "torch_commands/signature.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "base/parallel.h"
#include "base/random.h"
#include "data/batches.h"
#include "data/encoded_dataset.h"
#include "data/mixture.h"
#include "decoding/fake_networks.h"
#include "decoding/slots.h"
#include "nn/batch_tensors.h"
#include "objectives/objective.h"
#include "tasks/all_tasks.h"

namespace mgdm::torch_commands {
namespace {

constexpr std::uint64_t kSeed = 0x0123456789abcdef;  // both words of the streams' keys

// Numbers as eight bytes, the lowest first, on every machine.
class Digest {
 public:
  void add(std::int64_t value) {
    for (int byte = 0; byte < 8; ++byte)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte));
  }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  void add_row(const at::Tensor& row) {
    const at::Tensor values = row.to(at::kCPU, at::kLong).contiguous();
    for (std::int64_t i = 0; i < values.numel(); ++i) add(values.data_ptr<std::int64_t>()[i]);
  }
  void add(const Digest& other) { bytes_ += other.bytes_; }
  std::uint64_t hash() const { return stable_hash(bytes_); }

 private:
  std::string bytes_;
};

// --- puzzles ---

std::uint64_t data_hash(const tasks::Task& task, int threads) {
  constexpr std::size_t kPuzzles = 32;  // of each split
  Digest digest;
  for (const tasks::Split split : {tasks::Split::kTrain, tasks::Split::kTest})
    for_chunks<Digest>(
        kPuzzles, 4, threads,
        [&](std::size_t begin, std::size_t end) {
          Digest chunk;
          for (std::size_t i = begin; i < end; ++i) {
            const auto example = task.generate(kSeed, split, static_cast<std::uint32_t>(i));
            chunk.add(example.input);
            chunk.add(example.output);
          }
          return chunk;
        },
        [&](Digest&& chunk) { digest.add(chunk); });
  return digest.hash();
}

// --- views ---

// What a puzzle is decoded under, beside itself.
std::uint64_t views_hash(const tasks::Task& task) {
  constexpr std::uint32_t kPuzzles = 8, kViews = 3;
  Digest digest;
  for (std::uint32_t item = 0; item < kPuzzles; ++item) {
    const std::string input = task.generate(kSeed, tasks::Split::kTest, item).input;
    for (std::uint32_t k = 1; k <= kViews; ++k) {
      Stream random(kSeed, Purpose::kView, item, k);
      const tasks::View view = task.abilities().views->view(input, random);
      digest.add(view.input);
      for (const std::size_t place : view.places) digest.add(static_cast<std::int64_t>(place));
      for (const auto& [from, to] : view.letters) {
        digest.add(from);
        digest.add(to);
      }
    }
  }
  return digest.hash();
}

// --- rows ---

struct Rows : data::Rows {
  std::vector<std::uint32_t> epochs;
};

// Rows of shuffled epochs, whatever batches they come in. The dataset is smaller than the rows
// asked for, so that they reach over several epochs.
Rows shuffled_rows(const std::string& name, int length, const std::string& layout, bool augment,
                   const SignatureSettings& settings) {
  constexpr std::size_t kExamples = 20, kRows = 48;
  const std::shared_ptr<const tasks::Task> task = tasks::make_task(name);
  const data::Vocabulary vocabulary;
  const data::EncodedDataset dataset =
      data::generate_encoded(*task, kSeed, tasks::Split::kTrain, kExamples, vocabulary,
                             data::make_layout(layout, length, vocabulary), settings.threads);
  const data::Augment copy = augment ? data::symmetries(task, kSeed) : data::Augment();
  const data::Mixture mixture = data::Mixture::of(dataset, copy);
  data::Batches batches(mixture, settings.batch, kSeed, /*first_step=*/0,
                        std::max(1, settings.threads));
  Rows rows;
  rows.length = static_cast<std::size_t>(length);
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  while (rows.items.size() < kRows) {
    const data::Batch batch = batches.next();
    append(rows.items, batch.rows.items);
    append(rows.epochs, batch.epochs);
    append(rows.tokens, batch.rows.tokens);
    append(rows.frozen, batch.rows.frozen);
  }
  rows.items.resize(kRows);
  rows.epochs.resize(kRows);
  rows.tokens.resize(kRows * rows.length);
  rows.frozen.resize(kRows * rows.length);
  return rows;
}

std::uint64_t rows_hash(const Rows& rows) {
  Digest digest;
  for (const auto& values : {rows.items, rows.epochs})
    for (const std::uint32_t value : values) digest.add(value);
  for (const data::Token token : rows.tokens) digest.add(token);
  for (const std::uint8_t byte : rows.frozen) digest.add(byte);
  return digest.hash();
}

// --- masks and decoding, batch by batch ---

using nn::TensorRows;

// Calls use(rows) for consecutive batches.
template <class Use>
void for_batches(const Rows& rows, const SignatureSettings& settings, Use&& use) {
  for (std::size_t begin = 0; begin < rows.count(); begin += settings.batch) {
    const std::size_t count = std::min(settings.batch, rows.count() - begin);
    const auto part = [&](const auto& values) {
      return std::span(values).subspan(begin * rows.length, count * rows.length);
    };
    const auto size = static_cast<std::int64_t>(count);
    // Row numbers, not items: every row has draws of its own.
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(begin));
    use(TensorRows{nn::tokens_tensor(part(rows.tokens), size, settings.device),
                   nn::bool_tensor(part(rows.frozen), size, settings.device),
                   nn::items_tensor(numbers, settings.device)});
  }
}

std::uint64_t masks_hash(const Rows& rows, const objectives::Settings& objective_settings,
                         const SignatureSettings& settings) {
  const auto objective = objectives::make_objective(objective_settings);
  Digest digest;
  for_batches(rows, settings, [&](const TensorRows& batch) {
    const auto copies = objective->noise(
        {batch.tokens, batch.frozen, batch.items, at::full({}, 77, batch.items.options())}, kSeed);
    for (std::int64_t row = 0; row < batch.items.size(0); ++row)
      for (const objectives::Noised& copy : copies)
        for (const at::Tensor& values : {copy.input, copy.counted, copy.t})
          digest.add_row(values[row]);
  });
  return digest.hash();
}

// The tokens that are shown after each pass, row by row.
std::uint64_t decoding_hash(const Rows& rows, const decoding::DecodingSettings& decode,
                            const SignatureSettings& settings) {
  // So wide a range of logits that no two scores come near each other's rounding errors.
  decoding::FunctionNetwork network = decoding::random_network(
      kSeed, static_cast<std::size_t>(data::Vocabulary().size()), /*scale=*/12);
  Digest digest;
  for_batches(rows, settings, [&](const TensorRows& batch) {
    const auto count = static_cast<std::size_t>(batch.items.size(0));
    std::vector<Digest> shown(count);
    std::vector<decoding::Try> tries(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::int64_t>(i);
      decoding::Puzzle& puzzle = tries[i].puzzle;
      puzzle = {.tokens = nn::tokens_of(batch.tokens[row]),
                .frozen = {},
                .item = static_cast<std::uint32_t>(batch.items[row].item<std::int64_t>()),
                .settings = decode};
      const at::Tensor frozen = batch.frozen[row].cpu().contiguous();
      puzzle.frozen.assign(frozen.data_ptr<bool>(), frozen.data_ptr<bool>() + frozen.numel());
      tries[i].observer = [&, i,
                           last = std::vector<data::Token>()](const decoding::Step& step) mutable {
        if (std::ranges::equal(step.tokens, last)) return true;
        last.assign(step.tokens.begin(), step.tokens.end());
        for (const data::Token token : last) shown[i].add(std::int64_t{token});
        return true;
      };
    }
    const std::vector<decoding::TryResult> results = decoding::decode(network, std::move(tries));
    for (std::size_t i = 0; i < count; ++i) {
      if (results[i].passes == 0)  // nothing was to be decoded
        for (const data::Token token : results[i].tokens) shown[i].add(std::int64_t{token});
      digest.add(shown[i]);
      digest.add(results[i].passes);
    }
  });
  return digest.hash();
}

// --- the list ---

std::vector<std::pair<std::string, objectives::Settings>> noises() {
  using objectives::Settings;
  Settings shown{.kind = "mgdm"}, coupled{.kind = "rdm"}, uniform{.kind = "d3pm_uniform"};
  shown.train_shown = true;
  shown.shown_noise = 0.2;
  coupled.coupled = true;
  return {{"mgdm", Settings{.kind = "mgdm"}},
          {"mgdm, wrong tokens shown", shown},
          {"rdm, coupled", coupled},
          {"d3pm uniform", uniform}};
}

std::vector<std::pair<std::string, decoding::DecodingSettings>> decoders() {
  std::vector<std::pair<std::string, decoding::DecodingSettings>> all;
  for (const std::string order :
       {"topk", "margin", "random", "threshold", "entropy", "multinomial"}) {
    decoding::DecodingSettings settings;
    if (order == "multinomial")
      settings.decoder = decoding::Decoder::kMultinomial;
    else
      settings.order = order;
    settings.steps = 8;
    settings.revise = "off";
    settings.threshold = 0.5;
    settings.entropy_bound = 1;
    all.emplace_back(order, settings);
  }
  for (const char* revise : {"on", "remask"}) {
    decoding::DecodingSettings settings = all.front().second;
    settings.revise = revise;
    all.emplace_back(fmt::format("topk, revise {}", revise), settings);
  }
  decoding::DecodingSettings sampled = all.front().second;
  sampled.temperature = 0.7;
  all.emplace_back("topk, sampled", sampled);
  return all;
}

}  // namespace

Signature signature(const SignatureSettings& settings) {
  Signature result;
  const auto add = [&](const std::string& name, std::uint64_t hash) {
    result.parts.push_back({name, hash});
  };
  for (const std::string& name : tasks::task_names())
    add("data: " + name, data_hash(*tasks::make_task(name), settings.threads));
  add("data: sudoku, hard",
      data_hash(*tasks::make_task("sudoku", {"difficulty=hard"}), settings.threads));

  for (const char* name : {"planning", "countdown-4", "sudoku", "sat-7"})
    add(fmt::format("views: {}", name), views_hash(*tasks::make_task(name)));

  const Rows planning = shuffled_rows("planning", 75, "seq2seq", false, settings);
  const Rows sudoku = shuffled_rows("sudoku", 81, "in_place", true, settings);
  add("batches: planning", rows_hash(planning));
  add("batches: sudoku, in place, augmented", rows_hash(sudoku));
  for (const auto& [name, noise] : noises())
    add("masks: " + name, masks_hash(planning, noise, settings));
  for (const auto& [name, decode] : decoders())
    add("decoding: " + name, decoding_hash(planning, decode, settings));

  Digest digest;
  for (const SignaturePart& part : result.parts) {
    digest.add(part.name);
    digest.add(static_cast<std::int64_t>(part.hash));
  }
  result.hash = digest.hash();
  return result;
}

}  // namespace mgdm::torch_commands
