#include "training/step.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "compat/deterministic.h"
#include "compat/device.h"
#include "nn/batch_tensors.h"
#include "ops/our_kernels.h"
#include "training/optimizer.h"

namespace mgdm::training {
namespace {

objectives::Batch part_of(const objectives::Batch& batch, std::int64_t begin, std::int64_t end) {
  return {batch.tokens.slice(0, begin, end), batch.frozen.slice(0, begin, end),
          batch.items.slice(0, begin, end), batch.step, batch.place.slice(0, begin, end)};
}

objectives::Noised part_of(const objectives::Noised& noised, std::int64_t begin, std::int64_t end) {
  const auto part = [&](const at::Tensor& all) {
    return all.defined() ? all.slice(0, begin, end) : all;
  };
  return {part(noised.input), part(noised.counted), part(noised.weight), part(noised.t),
          part(noised.time),  part(noised.eps),     part(noised.guessed)};
}

}  // namespace

objectives::Guess guess_of(nn::Model& model, bool bf16) {
  return [&model, bf16](const nn::Input& input) {
    const at::NoGradGuard no_grad;
    // This needs its own autocast: a forward pass that shares it would reuse weights rounded here,
    // which have no gradient.
    const compat::Autocast autocast(model.device(), bf16);
    return model.forward(input).last();
  };
}

TrainingStep::TrainingStep(TrainingState& state, const objectives::Objective& objective,
                           distributed::ProcessGroup& group, const TrainingSettings& settings,
                           double clip, std::uint64_t seed, data::Share rows, std::int64_t length)
    : state_(state),
      objective_(objective),
      group_(group),
      settings_(settings),
      clip_(clip),
      seed_(seed),
      rows_(static_cast<std::int64_t>(rows.end - rows.begin)) {
  const auto options = at::TensorOptions().device(state.model.device());
  tokens_ = at::empty({rows_, length}, options.dtype(at::kInt));
  frozen_ = at::empty({rows_, length}, options.dtype(at::kByte));
  items_ = at::empty({rows_}, options.dtype(at::kLong));
  place_ = (at::arange(rows_, options.dtype(at::kFloat)) + static_cast<double>(rows.begin)) /
           static_cast<double>(settings.batch);
  step_ = at::zeros({}, options.dtype(at::kLong));
  asked_ = at::zeros({3}, options.dtype(at::kFloat));
  agreed_ = at::zeros({3}, options.dtype(at::kFloat));
  loss_ = at::zeros({}, options.dtype(at::kFloat));
  norm_ = at::zeros({}, options.dtype(at::kFloat));
}

void TrainingStep::run(const data::Batch& batch, double factor, Wishes wishes) {
  // From pinned memory and without waiting: the next step is queued while this one runs.
  const auto send = [](at::Tensor& there, const at::Tensor& here) {
    there.copy_(there.is_cuda() ? here.pin_memory() : here, /*non_blocking=*/true);
  };
  send(tokens_, nn::narrow_tokens(batch.rows.tokens, rows_));
  send(frozen_, nn::bytes_tensor(batch.rows.frozen, rows_));
  send(items_, nn::items_tensor(batch.rows.items, c10::Device(c10::kCPU)));
  step_.fill_(static_cast<std::int64_t>(batch.step));
  const double one = group_.first() ? 1 : 0;
  send(asked_,
       at::tensor({one * factor, wishes.stop ? 1.0 : 0.0, wishes.end ? one : 0.0}, at::kFloat));
  // Dropout is the one thing drawn from LibTorch's generator: a function of (seed, step, rank) too.
  Stream random(seed_, Purpose::kDropout, static_cast<std::uint32_t>(batch.step),
                static_cast<std::uint32_t>(group_.rank()));
  compat::seed_dropout(random.next());
  const compat::Deterministic deterministic(settings_.deterministic && tokens_.is_cuda());
  const std::int64_t loops =
      loops_of_step(settings_.fewest_loops, state_.model.settings().loops, seed_, batch.step);
  const std::int64_t rounds = rounds_of_step(settings_, seed_, batch.step);
  const std::int64_t length = computed_length(batch.rows);
  const auto graph =
      graphs_.try_emplace({loops, rounds, length}, state_.model.device(), settings_.cuda_graph)
          .first;
  graph->second.run([this, loops, rounds, length] { body(loops, rounds, length); });
}

std::int64_t TrainingStep::computed_length(const data::Rows& rows) const {
  const std::int64_t length = tokens_.size(1);
  // Processes find other lengths in their shares. On GPUs they would then record graphs at
  // different steps, where NCCL may wait for all of them to record.
  if (tokens_.is_cuda() && !group_.alone()) return length;
  return rounded_length(static_cast<std::int64_t>(objective_.needed_columns(rows)), length);
}

std::int64_t rounded_length(std::int64_t needed, std::int64_t length) {
  constexpr std::int64_t kLengths = 8, kMultiple = 8;  // kernels work on whole tiles
  const std::int64_t unit =
      kMultiple * ((length + kLengths * kMultiple - 1) / (kLengths * kMultiple));
  return std::min(length, (needed + unit - 1) / unit * unit);
}

std::int64_t loops_of_step(std::int64_t fewest_loops, std::int64_t model_loops, std::uint64_t seed,
                           std::uint64_t step) {
  if (fewest_loops == 0) return model_loops;
  Stream random(seed, Purpose::kLoops, static_cast<std::uint32_t>(step));
  return random.between(static_cast<int>(fewest_loops), static_cast<int>(model_loops));
}

std::int64_t rounds_of_step(const TrainingSettings& settings, std::uint64_t seed,
                            std::uint64_t step) {
  Stream random(seed, Purpose::kLoops, static_cast<std::uint32_t>(step), /*step=*/1);
  const std::int64_t rounds = random.between(1, static_cast<int>(settings.rounds));
  const bool late = random.uniform() < settings.late_share;
  const auto doublings =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(settings.late_rounds))) - 1;
  return late ? 1 + (std::int64_t{1} << random.between(1, doublings)) : rounds;
}

void TrainingStep::body(std::int64_t loops, std::int64_t rounds, std::int64_t length) {
  const ops::WithoutOurKernels without(!settings_.cuda_kernels);
  state_.optimizer->zero_grad();
  const objectives::Batch batch{tokens_.slice(1, 0, length).to(at::kLong),
                                frozen_.slice(1, 0, length).to(at::kBool), items_, step_, place_};
  const std::vector<objectives::Noised> copies = objective_.noise(batch, seed_);
  at::Tensor count = at::zeros({1}, loss_.options());
  for (const objectives::Noised& noised : copies) count = count + noised.counted.sum();
  const at::Tensor shared = at::cat({asked_, count});
  group_.all_reduce(shared);
  agreed_.copy_(shared.slice(0, 0, 3));
  count = shared.select(0, 3).clamp_min(1);

  const bool bf16 = settings_.precision == "bf16";
  at::Tensor loss = at::zeros({}, loss_.options());
  // The head's products with a large vocabulary: its states are bf16 numbers, so only the table
  // loses. Other objectives than cross entropies have products of their own in fp32, which stay.
  std::optional<compat::Tf32Products> rounded(bf16 && objective_.is_cross_entropy());
  const std::int64_t part = (rows_ + settings_.accumulate - 1) / settings_.accumulate;
  for (const objectives::Noised& noised : copies) {
    for (std::int64_t begin = 0; begin < rows_; begin += part) {
      const std::int64_t end = std::min(rows_, begin + part);
      const objectives::Batch batch_part = part_of(batch, begin, end);
      const objectives::Noised noised_part = part_of(noised, begin, end);
      const objectives::Guess guess = guess_of(state_.model, bf16);
      nn::Input input = objective_.shown(batch_part, noised_part, guess);
      input.loops = loops;
      for (std::int64_t round = 1; round < rounds; ++round) input.earlier = guess(input).hidden();
      input.training = true;
      input.recompute = settings_.recompute;
      at::Tensor part_loss;
      {
        const compat::Autocast autocast(state_.model.device(), bf16);
        const nn::Output output = state_.model.forward(input);
        part_loss = objective_.loss(output, batch_part, noised_part).sum / count;
      }
      part_loss.backward();
      loss = loss + part_loss.detach();
    }
  }
  rounded.reset();
  if (!group_.alone()) sum_gradients(loss);
  norm_.copy_(clip_gradients(state_.model.parameters().all(), clip_));
  state_.optimizer->step(agreed_.select(0, 0));
  if (state_.ema) state_.ema->update();
  loss_.copy_(loss);
}

void TrainingStep::sum_gradients(at::Tensor& loss) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients, flat;
  for (const nn::Parameter& parameter : state_.model.parameters().all()) {
    if (!parameter.value.grad().defined()) continue;  // by the model's shape: the same everywhere
    gradients.push_back(parameter.value.grad());
    flat.push_back(gradients.back().reshape(-1));
  }
  flat.push_back(loss.reshape(-1));
  const at::Tensor all = at::cat(flat);  // one message instead of many
  group_.all_reduce(all);
  std::int64_t place = 0;
  for (at::Tensor& gradient : gradients) {
    gradient.copy_(all.slice(0, place, place + gradient.numel()).view_as(gradient));
    place += gradient.numel();
  }
  loss = all.select(0, place);
}

double TrainingStep::loss() const { return loss_.item<double>(); }
double TrainingStep::gradient_norm() const { return norm_.item<double>(); }

Wishes TrainingStep::wishes() const {
  const at::Tensor agreed = agreed_.cpu();
  return {agreed.data_ptr<float>()[1] > 0, agreed.data_ptr<float>()[2] > 0};
}

HeldOut held_out(nn::Model& model, const objectives::Objective& objective,
                 const data::EncodedDataset& dataset, std::uint64_t seed, bool bf16,
                 std::size_t most_rows) {
  const at::NoGradGuard no_grad;
  const c10::Device device = model.device();
  const auto length = static_cast<std::size_t>(dataset.layout().length());
  double loss = 0, count = 0, right = 0;
  for (std::size_t begin = 0; begin < dataset.size(); begin += most_rows) {
    data::Rows rows(std::min(most_rows, dataset.size() - begin), length);
    std::iota(rows.items.begin(), rows.items.end(), static_cast<std::uint32_t>(begin));
    for (std::size_t row = 0; row < rows.count(); ++row) dataset.write_row(begin + row, rows[row]);
    const objectives::Batch batch{
        nn::tensors_of(rows, device),
        at::zeros({}, at::TensorOptions().device(device).dtype(at::kLong))};
    for (const objectives::Noised& noised : objective.noise(batch, seed)) {
      const nn::Input input = objective.shown(batch, noised, guess_of(model, bf16));
      const compat::Autocast autocast(device, bf16);
      const at::Tensor logits = model.forward(input).last().logits();
      const objectives::LossSum part = objective.loss({{logits}}, batch, noised);
      loss += part.sum.item<double>();
      count += part.count.item<double>();
      right += ((logits.argmax(-1) == batch.tokens) & noised.counted).sum().item<double>();
    }
  }
  if (count == 0) return {};
  return {loss / count, right / count};
}

}  // namespace mgdm::training
