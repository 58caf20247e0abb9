#include "engine/device_decoding.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "data/vocabulary.h"
#include "decoding/draws.h"
#include "decoding/orders.h"

namespace mgdm::engine {
namespace {

constexpr int kPassesBetweenLooks = 4;
constexpr std::int64_t kLargestTable = 1 << 22;
// Passes over some of the states are for batches with so many, and have room for a multiple of a
// fraction of them: a few graphs serve all batches.
constexpr std::int64_t kManyStates = 1 << 13, kStateUnits = 32;

using KernelOrder = ops::DecodingRule::Order;
constexpr std::array<std::pair<std::string_view, KernelOrder>, 5> kKernelOrders{{
    {"topk", KernelOrder::kTopk},
    {"margin", KernelOrder::kMargin},
    {"random", KernelOrder::kRandom},
    {"threshold", KernelOrder::kThreshold},
    {"entropy", KernelOrder::kEntropy},
}};

// Some rows of them, by number.
ops::DecodingRows rows_of(const ops::DecodingRows& all, const at::Tensor& numbers) {
  const auto some = [&](const at::Tensor& tensor) { return tensor.index_select(0, numbers); };
  return {some(all.tokens),   some(all.frozen), some(all.items),
          some(all.previous), some(all.passes), some(all.active)};
}

// Which hidden states say something about positions that are decoded: (B, N) bool.
at::Tensor states_of(const ops::DecodingRows& rows, bool shift) {
  const at::Tensor decoded = rows.frozen.logical_not().logical_and(rows.active.unsqueeze(1));
  if (!shift) return decoded;
  at::Tensor states = at::zeros_like(decoded);
  states.slice(1, 0, -1).copy_(decoded.slice(1, 1));
  states.select(1, 0).logical_or_(decoded.select(1, 0));
  return states;
}

}  // namespace

ops::DecodingRule rule_of(const spec::DecodingSettings& settings) {
  const auto order =
      std::ranges::find(kKernelOrders, settings.order, [](const auto& o) { return o.first; });
  MGDM_CHECK(order != kKernelOrders.end());
  const bool revise = settings.revise == "on";
  return {.order = order->second,
          .steps = settings.steps,
          .revise = revise,
          .masks_again =
              spec::order_kind(settings.order).by_score && (revise || settings.revise == "remask"),
          .early_stop = settings.early_stop,
          .noise = settings.noise,
          .temperature = settings.temperature,
          .threshold = settings.threshold,
          .entropy_bound = settings.entropy_bound,
          .seed = static_cast<std::uint64_t>(settings.seed),
          .mask_token = data::kMask,
          .never = {data::kSep, data::kMask, data::kUnk}};
}

at::Tensor masked_counts(const spec::DecodingSettings& settings, std::int64_t length) {
  at::Tensor counts = at::empty({settings.steps, length + 1}, at::kInt);
  int* count = counts.data_ptr<int>();
  for (std::int64_t t = settings.steps - 1; t >= 0; --t)
    for (std::int64_t diffused = 0; diffused <= length; ++diffused)
      *count++ =
          static_cast<int>(decoding::masked_count(static_cast<std::size_t>(diffused), t, settings));
  return counts;
}

DeviceDecoding::DeviceDecoding(MakePredictor make, bool recorded, Describe describe, FewStates few)
    : make_(std::move(make)),
      recorded_(recorded),
      describe_(std::move(describe)),
      few_(std::move(few)) {}

bool DeviceDecoding::takes(const Batch& batch, const spec::DecodingSettings& settings,
                           std::int64_t vocabulary) {
  const std::int64_t length = batch.tokens.size(1);
  return ops::decoding_pass_takes(batch.tokens.device(), length, vocabulary) &&
         settings.steps * (length + 1) <= kLargestTable;
}

DeviceDecoding::Common::Common(const spec::DecodingSettings& some, std::int64_t length,
                               c10::Device device)
    : settings(some), rule(rule_of(some)), counts(masked_counts(some, length).to(device)) {}

bool DeviceDecoding::Common::is_for(const spec::DecodingSettings& some, std::int64_t length) const {
  return settings == some && counts.size(1) == length + 1;
}

DeviceDecoding::Passes::Passes(const DeviceDecoding& of, const spec::DecodingSettings& some,
                               at::IntArrayRef sizes, std::int64_t states, c10::Device device)
    : common(some, sizes[1], device), shift(of.few_.shift), graph(device, of.recorded_) {
  const auto numbers = at::TensorOptions().device(device).dtype(at::kLong);
  if (states > 0) {
    wanted = at::zeros({states}, numbers);
    places = at::zeros(sizes, numbers.dtype(at::kInt));
  }
  predict = states > 0 ? of.few_.make(some, wanted) : of.make_(some);
  const auto flags = numbers.dtype(at::kBool);
  now = {at::zeros({}, numbers), common.counts};
  rows = {at::zeros(sizes, numbers), at::zeros(sizes, flags),      at::zeros(sizes[0], numbers),
          at::zeros(sizes, numbers), at::zeros(sizes[0], numbers), at::zeros(sizes[0], flags)};
}

void DeviceDecoding::Passes::take(const ops::DecodingRows& some, std::int64_t attempt) {
  const auto fill = [](const at::Tensor& here, const at::Tensor& from) {
    here.slice(0, 0, from.size(0)).copy_(from);
  };
  rows.active.zero_();
  fill(rows.tokens, some.tokens);
  fill(rows.frozen, some.frozen);
  fill(rows.items, some.items);
  fill(rows.previous, some.previous);
  fill(rows.passes, some.passes);
  fill(rows.active, some.active);
  now.first_draw.fill_(decoding::draw_step(attempt, 0));
  if (!wanted.defined()) return;
  const at::Tensor states = states_of(rows, shift).view(-1).nonzero().squeeze(1);
  MGDM_CHECK(states.size(0) <= wanted.size(0));
  wanted.zero_();  // where there are fewer, the first is computed more than once
  fill(wanted, states);
  places.fill_(-1);
  places.view(-1).index_copy_(0, states, at::arange(states.size(0), places.options()));
}

void DeviceDecoding::Passes::run() {
  graph.run([this] {
    nn::Prediction prediction = predict(rows.tokens, rows.frozen);
    const at::Tensor& hidden = prediction.hidden();
    const bool few = hidden.defined() && hidden.dim() == 2;
    if (ops::decoding_pass(hidden, prediction.head(), prediction.shift(), common.rule, now, rows,
                           few ? places : at::Tensor()))
      return;
    if (few) {  // each where it belongs, and something elsewhere
      const at::Tensor all = at::zeros({rows.tokens.numel(), hidden.size(1)}, hidden.options());
      all.index_copy_(0, wanted, hidden);
      prediction = {all.view({rows.tokens.size(0), rows.tokens.size(1), -1}), prediction.head(),
                    prediction.shift()};
    }
    ops::decoding_pass(prediction.logits(), common.rule, now, rows);
  });
}

DeviceDecoding::Passes& DeviceDecoding::passes(const spec::DecodingSettings& settings,
                                               std::int64_t rows, std::int64_t length,
                                               std::int64_t states, c10::Device device) {
  const std::array sizes{rows, length};
  return passes_.get(
      [&](const Passes& each) {
        return each.common.is_for(settings, length) && each.rows.tokens.size(0) == rows &&
               (each.wanted.defined() ? each.wanted.size(0) : 0) == states;
      },
      *this, settings, sizes, states, device);
}

std::int64_t DeviceDecoding::states_for(const ops::DecodingRows& some, std::int64_t rows) const {
  const std::int64_t all = rows * some.tokens.size(1);
  if (!few_.make || all < kManyStates) return 0;
  const auto wanted = states_of(some, few_.shift).sum().item<std::int64_t>();
  const std::int64_t unit = all / kStateUnits, states = (wanted / unit + 1) * unit;
  return kStateUnits * states <= (kStateUnits - 2) * all ? states : 0;
}

std::optional<Result> DeviceDecoding::answer(const Batch& batch,
                                             const spec::DecodingSettings& settings) {
  if (!describe_) return {};
  const std::optional<ops::Transformer> network = describe_(settings);
  const ops::AnswerRows rows{batch.tokens, batch.frozen, batch.items};
  if (!network || !ops::answer_takes(*network, rows)) return {};
  const std::int64_t length = batch.tokens.size(1);
  const Common& shared =
      answers_.get([&](const Common& each) { return each.is_for(settings, length); }, settings,
                   length, batch.tokens.device());
  const at::IntArrayRef sizes = batch.tokens.sizes();
  const ops::Answers& answers = answer_memory_.get(
      [&](const ops::Answers& each) { return each.numbers.tokens.sizes() == sizes; }, *network,
      rows);
  ops::answer(*network, shared.rule,
              {.first_draw = decoding::draw_step(batch.attempt, 0),
               .counts = shared.counts,
               .first_qkv = answers.looks_up ? first_qkv_.of(*network, length) : at::Tensor()},
              rows, answers);
  const ops::AnswerNumbers here(sizes[0], length, at::TensorOptions().pinned_memory(true));
  here.all.copy_(answers.numbers.all);  // waits for the kernel
  return Result{here.tokens, here.passes};
}

Result DeviceDecoding::decode(const Batch& batch, const spec::DecodingSettings& settings) {
  const at::NoGradGuard no_grad;
  stop_if_interrupted();
  if (std::optional<Result> answered = answer(batch, settings)) return *std::move(answered);
  const c10::Device device = batch.tokens.device();
  const std::int64_t length = batch.tokens.size(1);
  Result result{all_masked(batch), at::zeros_like(batch.items)};
  at::Tensor places = at::arange(batch.items.size(0), batch.items.options());  // of the rows below
  const auto continue_with = [&](const ops::DecodingRows& rows, std::int64_t size) {
    Passes& some = passes(settings, size, length, states_for(rows, size), device);
    some.take(rows, batch.attempt);
    return &some;
  };
  Passes* now = continue_with({result.tokens, batch.frozen, batch.items, result.tokens,
                               result.forward_passes, batch.frozen.logical_not().any(1)},
                              places.size(0));
  const auto note = [&] {
    const std::int64_t count = places.size(0);
    result.tokens.index_copy_(0, places, now->rows.tokens.slice(0, 0, count));
    result.forward_passes.index_copy_(0, places, now->rows.passes.slice(0, 0, count));
  };
  const bool may_end_early = settings.early_stop || !now->common.rule.masks_again;
  for (int step = 1; step <= settings.steps; ++step) {
    stop_if_interrupted();
    now->run();
    if (!may_end_early || step % kPassesBetweenLooks != 0 || step == settings.steps) continue;
    const at::Tensor left = now->rows.active.nonzero().squeeze(1);  // waits for the device
    if (left.size(0) == 0) break;
    if (2 * left.size(0) > now->rows.active.size(0)) continue;
    // Most are finished: the rest go on in a smaller batch, of one of a few sizes.
    note();
    const ops::DecodingRows rest = rows_of(now->rows, left);
    places = places.index_select(0, left);
    const auto size = std::bit_ceil(static_cast<std::uint64_t>(left.size(0)));
    now = continue_with(rest, static_cast<std::int64_t>(size));
  }
  note();
  return result;
}

}  // namespace mgdm::engine
