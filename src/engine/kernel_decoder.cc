#include "engine/kernel_decoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/interrupt.h"
#include "compat/out_of_memory.h"
#include "decoding/attempt.h"
#include "engine/decoding_kernels.h"

namespace mgdm::engine {
namespace {

using decoding::SlotId;
using decoding::TryResult;

constexpr std::int64_t kPassesBetweenLooks = 4;
constexpr std::int64_t kLargestTable = 1 << 22;
// Passes over some of the states are for batches with at least kManyStates. They have room for a
// multiple of 1/kStateUnits of all states, so that a few graphs serve all batches.
constexpr std::int64_t kManyStates = 1 << 13, kStateUnits = 32;

// Which hidden states say something about positions that are decoded: (B, N) bool.
at::Tensor states_of(const ops::DecodingRows& rows, bool shift) {
  const at::Tensor decoded = rows.frozen.logical_not().logical_and(rows.active.unsqueeze(1));
  if (!shift) return decoded;
  at::Tensor states = at::zeros_like(decoded);
  states.slice(1, 0, -1).copy_(decoded.slice(1, 1));
  states.select(1, 0).logical_or_(decoded.select(1, 0));
  return states;
}

at::Tensor numbers_on(c10::Device device, const std::vector<std::int64_t>& numbers) {
  return at::tensor(numbers, at::kLong).to(device);
}

}  // namespace

KernelNetwork kernel_network(nn::Model& model, bool bf16) {
  KernelNetwork network{.device = model.device(), .vocabulary = model.settings().vocabulary};
  network.predictor = [&model, bf16](std::int64_t loops, const at::Tensor& wanted) {
    return predictor_of(model, bf16, loops, wanted);
  };
  if (bf16) network.transformer = [&model](std::int64_t loops) { return model.transformer(loops); };
  network.heeds_wanted = model.heeds_wanted();
  network.shift = model.settings().shift;
  return network;
}

bool KernelDecoder::has_kernel(std::int64_t length) const {
  return ops::decoding_pass_takes(network_.device, length, network_.vocabulary);
}

bool KernelDecoder::takes(const decoding::Try& one) const {
  const decoding::DecodingSettings& settings = one.puzzle.settings;
  const auto length = std::ssize(one.puzzle.tokens);
  const bool diffusion = settings.decoder == decoding::Decoder::kDiffusion ||
                         settings.decoder == decoding::Decoder::kOnePass;
  return diffusion && !one.observer && one.puzzle.specials == data::Specials{} &&
         settings.steps * (length + 1) <= kLargestTable && rule_of(settings) && has_kernel(length);
}

void KernelDecoder::join(SlotId slot, decoding::Try one) {
  waiting_.push_back({slot, std::move(one)});
}

bool KernelDecoder::cancel(SlotId slot) {
  if (std::erase_if(waiting_, [&](const Waiting& each) { return each.slot == slot; }) > 0)
    return true;
  if (!running_) return false;
  const auto row = std::ranges::find(running_->rows, slot, &Row::slot);
  if (row == running_->rows.end()) return false;
  row->slot.reset();
  if (std::ranges::none_of(running_->rows, [](const Row& each) { return each.slot.has_value(); }))
    running_.reset();
  return true;
}

std::size_t KernelDecoder::active() const {
  std::size_t count = waiting_.size();
  if (running_)
    count += static_cast<std::size_t>(
        std::ranges::count_if(running_->rows, [](const Row& row) { return row.slot.has_value(); }));
  return count;
}

std::vector<TryResult> KernelDecoder::pass() {
  const at::NoGradGuard no_grad;
  stop_if_interrupted();
  joining_.clear();
  try {
    return compat::with_memory_for_puzzles(active(), [&] { return advance(); });
  } catch (const Interrupted&) {
    throw;
  } catch (...) {  // those of the batch alone: others still wait
    if (running_)
      for (const Row& row : running_->rows)
        if (row.slot && std::ranges::find(joining_, *row.slot) == joining_.end())
          joining_.push_back(*row.slot);
    running_.reset();
    std::vector<TryResult> failed;
    for (const SlotId slot : joining_)
      failed.push_back({.slot = slot, .error = std::current_exception()});
    return failed;
  }
}

std::vector<TryResult> KernelDecoder::advance() {
  const std::vector<Waiting> joining = take_waiting();
  if (!running_ && joining.empty()) return {};
  if (!running_)
    if (auto answered = answer(joining)) return *std::move(answered);
  if (!joining.empty()) regroup(joining);
  run_passes();
  return take_finished();
}

// The tries that can join the batch at hand, in their order; a try of another kind waits for its
// end, and so do those behind it.
std::vector<KernelDecoder::Waiting> KernelDecoder::take_waiting() {
  if (waiting_.empty()) return {};
  const decoding::Puzzle kind = running_ ? running_->puzzle : waiting_.front().one.puzzle;
  const auto end = std::ranges::find_if(waiting_, [&](const Waiting& each) {
    return each.one.puzzle.settings != kind.settings ||
           each.one.puzzle.tokens.size() != kind.tokens.size();
  });
  std::vector<Waiting> some(std::make_move_iterator(waiting_.begin()),
                            std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  for (const Waiting& each : some) joining_.push_back(each.slot);
  return some;
}

KernelDecoder::Kind::Kind(const decoding::Puzzle& puzzle, c10::Device device)
    : settings(puzzle.settings),
      length(std::ssize(puzzle.tokens)),
      rule(rule_of(puzzle.settings).value()),
      counts(masked_counts(puzzle.settings, length).to(device)) {}

bool KernelDecoder::Kind::is_for(const decoding::Puzzle& puzzle) const {
  return settings == puzzle.settings && length == std::ssize(puzzle.tokens);
}

std::optional<std::vector<TryResult>> KernelDecoder::answer(const std::vector<Waiting>& some) {
  if (!network_.transformer) return {};
  const decoding::Puzzle& first = some.front().one.puzzle;
  if (std::ranges::any_of(
          some, [&](const Waiting& each) { return each.one.puzzle.attempt != first.attempt; }))
    return {};
  const std::optional<ops::Transformer> network = network_.transformer(first.settings.loops);
  if (!network) return {};
  std::vector<const decoding::Puzzle*> all;
  for (const Waiting& each : some) all.push_back(&each.one.puzzle);
  const nn::TensorRows puzzles = tensors_of(all, network_.device);
  const ops::AnswerRows rows{puzzles.tokens, puzzles.frozen, puzzles.items};
  if (!ops::answer_takes(*network, rows)) return {};
  const Kind& kind =
      kinds_.get([&](const Kind& each) { return each.is_for(first); }, first, network_.device);
  const at::IntArrayRef sizes = puzzles.tokens.sizes();
  const ops::Answers& answers = answer_memory_.get(
      [&](const ops::Answers& each) { return each.numbers.tokens.sizes() == sizes; }, *network,
      rows);
  ops::answer(*network, kind.rule,
              {.first_draw = decoding::draw_step(first.attempt, 0), .counts = kind.counts}, rows,
              answers);
  const ops::AnswerNumbers here(sizes[0], kind.length, at::TensorOptions().pinned_memory(true));
  here.all.copy_(answers.numbers.all);  // waits for the kernel
  std::vector<TryResult> finished;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    finished.push_back(
        {some[i].slot, nn::tokens_of(here.tokens[row]), here.passes[row].item<std::int64_t>(), {}});
  }
  return finished;
}

// The rows that are still decoded and those that join, in tensors of the right size.
void KernelDecoder::regroup(const std::vector<Waiting>& joining) {
  Rows all;
  std::vector<Row> rows;
  decoding::Puzzle puzzle = running_ ? running_->puzzle : joining.front().one.puzzle;
  const auto add = [&](const Rows& some) {
    const auto both = [](at::Tensor& before, const at::Tensor& now) {
      before = before.defined() ? at::cat({before, now}) : now;
    };
    both(all.rows.tokens, some.rows.tokens);
    both(all.rows.frozen, some.rows.frozen);
    both(all.rows.items, some.rows.items);
    both(all.rows.previous, some.rows.previous);
    both(all.rows.passes, some.rows.passes);
    both(all.rows.active, some.rows.active);
    both(all.first_draw, some.first_draw);
  };
  if (running_) {
    std::vector<std::int64_t> left;
    for (std::size_t i = 0; i < running_->rows.size(); ++i)
      if (running_->rows[i].slot) {
        left.push_back(static_cast<std::int64_t>(i));
        rows.push_back(running_->rows[i]);
      }
    const at::Tensor numbers = numbers_on(network_.device, left);
    const auto some = [&](const at::Tensor& tensor) { return tensor.index_select(0, numbers); };
    const ops::DecodingRows& now = running_->passes->rows;
    add({{some(now.tokens), some(now.frozen), some(now.items), some(now.previous), some(now.passes),
          some(now.active)},
         some(running_->passes->now.first_draw)});
  }
  if (!joining.empty()) {
    std::vector<const decoding::Puzzle*> all_joining;
    std::vector<std::int64_t> first_draws;
    for (const Waiting& each : joining) {
      all_joining.push_back(&each.one.puzzle);
      first_draws.push_back(decoding::draw_step(each.one.puzzle.attempt, 0));
      rows.push_back({each.slot});
    }
    const nn::TensorRows puzzles = tensors_of(all_joining, network_.device);
    add({{puzzles.tokens, puzzles.frozen, puzzles.items, puzzles.tokens,
          at::zeros_like(puzzles.items), puzzles.frozen.logical_not().any(1)},
         numbers_on(network_.device, first_draws)});
  }
  // A new batch has the size that it has; what is left of one, and grows again, one of a few sizes.
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto size =
      running_ ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)))
               : count;
  const Kind& kind =
      kinds_.get([&](const Kind& each) { return each.is_for(puzzle); }, puzzle, network_.device);
  Passes& passes = passes_for(kind, size, states_for(all.rows, size));
  passes.take(all);
  running_ = Running{std::move(puzzle), std::move(rows), &passes};
}

// A few passes, or as many as the oldest row needs.
void KernelDecoder::run_passes() {
  std::int64_t oldest = 0;
  for (const Row& row : running_->rows) oldest = std::max(oldest, row.passes);
  const std::int64_t count =
      std::min(kPassesBetweenLooks, running_->puzzle.settings.steps - oldest);
  for (std::int64_t i = 0; i < count; ++i) {
    stop_if_interrupted();
    running_->passes->run();
  }
  for (Row& row : running_->rows) row.passes += count;
}

std::vector<TryResult> KernelDecoder::take_finished() {
  std::vector<Row>& rows = running_->rows;
  const decoding::DecodingSettings& settings = running_->puzzle.settings;
  const bool may_end_early = settings.early_stop || !running_->passes->kind.rule.masks_again;
  const auto at_its_end = [&](const Row& row) { return row.passes >= settings.steps; };
  if (!may_end_early && std::ranges::none_of(rows, at_its_end)) return {};

  const ops::DecodingRows& now = running_->passes->rows;
  const at::Tensor active = now.active.cpu();  // waits for the device
  std::vector<std::int64_t> finished;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].slot && !active.data_ptr<bool>()[i])
      finished.push_back(static_cast<std::int64_t>(i));
  if (finished.empty()) return {};
  const at::Tensor numbers = numbers_on(network_.device, finished);
  const at::Tensor tokens = now.tokens.index_select(0, numbers).cpu();
  const at::Tensor passes = now.passes.index_select(0, numbers).cpu();
  std::vector<TryResult> results;
  for (std::size_t i = 0; i < finished.size(); ++i) {
    Row& row = rows[static_cast<std::size_t>(finished[i])];
    results.push_back({*row.slot,
                       nn::tokens_of(tokens[static_cast<std::int64_t>(i)]),
                       passes.data_ptr<std::int64_t>()[i],
                       {}});
    row.slot.reset();
  }
  const auto left =
      std::ranges::count_if(rows, [](const Row& row) { return row.slot.has_value(); });
  if (left == 0)
    running_.reset();
  else if (2 * left <= now.tokens.size(0))
    regroup({});
  return results;
}

KernelDecoder::Passes& KernelDecoder::passes_for(const Kind& kind, std::int64_t size,
                                                 std::int64_t states) {
  return passes_.get(
      [&](const Passes& each) {
        return each.kind.settings == kind.settings && each.kind.length == kind.length &&
               each.rows.tokens.size(0) == size &&
               (each.wanted.defined() ? each.wanted.size(0) : 0) == states;
      },
      *this, kind, size, states);
}

// How many states a batch of so many rows needs room for, if these are to be decoded; 0: all.
std::int64_t KernelDecoder::states_for(const ops::DecodingRows& some, std::int64_t size) const {
  const std::int64_t all = size * some.tokens.size(1);
  if (!network_.heeds_wanted || all < kManyStates) return 0;
  const auto wanted = states_of(some, network_.shift).sum().item<std::int64_t>();
  const std::int64_t unit = all / kStateUnits, states = (wanted / unit + 1) * unit;
  return kStateUnits * states <= (kStateUnits - 2) * all ? states : 0;
}

KernelDecoder::Passes::Passes(const KernelDecoder& decoder, const Kind& of_kind, std::int64_t size,
                              std::int64_t states)
    : of(decoder), kind(of_kind), graph(decoder.network_.device, decoder.network_.recorded) {
  const auto numbers = at::TensorOptions().device(of.network_.device).dtype(at::kLong);
  const auto flags = numbers.dtype(at::kBool);
  const std::int64_t length = kind.length;
  if (states > 0) {
    wanted = at::zeros({states}, numbers);
    places = at::zeros({size, length}, numbers.dtype(at::kInt));
  }
  predict = of.network_.predictor(kind.settings.loops, wanted);
  now = {at::zeros({size}, numbers), kind.counts};
  rows = {at::zeros({size, length}, numbers), at::zeros({size, length}, flags),
          at::zeros({size}, numbers),         at::zeros({size, length}, numbers),
          at::zeros({size}, numbers),         at::zeros({size}, flags)};
}

void KernelDecoder::Passes::take(const Rows& some) {
  const auto fill = [](const at::Tensor& here, const at::Tensor& from) {
    here.slice(0, 0, from.size(0)).copy_(from);
  };
  rows.active.zero_();
  fill(rows.tokens, some.rows.tokens);
  fill(rows.frozen, some.rows.frozen);
  fill(rows.items, some.rows.items);
  fill(rows.previous, some.rows.previous);
  fill(rows.passes, some.rows.passes);
  fill(rows.active, some.rows.active);
  fill(now.first_draw, some.first_draw);
  if (!wanted.defined()) return;
  const at::Tensor states = states_of(rows, of.network_.shift).view(-1).nonzero().squeeze(1);
  MGDM_CHECK(states.size(0) <= wanted.size(0));
  wanted.zero_();  // where there are fewer, the first is computed more than once
  fill(wanted, states);
  places.fill_(-1);
  places.view(-1).index_copy_(0, states, at::arange(states.size(0), places.options()));
}

void KernelDecoder::Passes::run() {
  graph.run([this] {
    const nn::Prediction prediction = predict(rows.tokens, rows.frozen);
    of.decide(prediction, kind.rule, now, rows, wanted.defined() ? places : at::Tensor());
  });
}

void KernelDecoder::decide(const nn::Prediction& prediction, const ops::DecodingRule& rule,
                           const ops::DecodingTry& now, const ops::DecodingRows& rows,
                           const at::Tensor& places) const {
  const at::Tensor& hidden = prediction.hidden();
  const bool few = hidden.defined() && hidden.dim() == 2;
  if (ops::decoding_pass(hidden, prediction.head(), prediction.shift(), rule, now, rows,
                         few ? places : at::Tensor()))
    return;
  if (!few) return ops::decoding_pass(prediction.logits(), rule, now, rows);
  // Each state where it belongs, and zeros elsewhere: places, with a row of zeros for -1.
  const at::Tensor padded = at::cat({hidden, at::zeros_like(hidden.slice(0, 0, 1))});
  const at::Tensor rows_of = places.to(at::kLong).masked_fill(places.lt(0), hidden.size(0));
  const at::Tensor all = padded.index_select(0, rows_of.view(-1))
                             .view({places.size(0), places.size(1), hidden.size(1)});
  ops::decoding_pass(nn::Prediction(all, prediction.head(), prediction.shift()).logits(), rule, now,
                     rows);
}

}  // namespace mgdm::engine
