#include "evaluation/reasoner.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "engine/autoregressive.h"
#include "engine/multinomial.h"
#include "engine/restarts.h"
#include "nn/batch_tensors.h"
#include "nn/checkpoint.h"
#include "objectives/objective.h"
#include "tasks/judge.h"

namespace mgdm::evaluation {

Reasoner::Reasoner(std::shared_ptr<nn::Model> model, ModelCard card, data::Vocabulary vocabulary)
    : model_(std::move(model)),
      card_(std::move(card)),
      vocabulary_(std::move(vocabulary)),
      task_(tasks::make_task(card_.task)),
      layout_(data::make_layout(card_.layout, static_cast<int>(card_.length), vocabulary_)),
      half_precision_(model_->device().is_cuda() && card_.precision == "bf16") {}

Reasoner Reasoner::load(const std::string& folder, c10::Device device) {
  nn::LoadedModel loaded = nn::load_model(folder);
  if (loaded.alphabet.empty() || !loaded.metadata.contains("task"))
    throw Error(fmt::format("{} says nothing of a task", folder),
                "a model trained by mgdm, or one with an mgdm block in config.json");
  loaded.model->to(device);
  return {std::move(loaded.model), spec::card_of(loaded.metadata, folder),
          data::Vocabulary(loaded.alphabet)};
}

void Reasoner::check_room(const tasks::Example& example) const {
  const std::size_t puzzle = example.input.size(), answer = example.output.size();
  const auto length = static_cast<std::size_t>(layout_->length());
  const bool in_place = card_.layout == "in_place";
  const std::size_t most = in_place ? length : length - std::min<std::size_t>(length, 2);
  if (in_place ? puzzle == most : puzzle + answer <= most) return;
  const bool with_answer = !in_place && answer > 0;
  throw Error(
      fmt::format("the puzzle {} has {} characters{}", in_quotes(example.input), puzzle,
                  with_answer ? fmt::format(", and its answer {}", answer) : ""),
      fmt::format("{} {}{}: the model reads rows of {} tokens", in_place ? "exactly" : "at most",
                  most, with_answer ? " together" : "", length),
      "a model that was trained on puzzles of this size");
}

void Reasoner::write_puzzle(const std::string& input, data::Row row) const {
  check_room({input, ""});
  layout_->write_puzzle(vocabulary_.encode(input), row);
}

std::vector<Answer> Reasoner::answer(std::span<const std::string> inputs,
                                     std::span<const std::uint32_t> items,
                                     const spec::DecodingSettings& settings,
                                     const engine::OnStep& on_step) const {
  MGDM_CHECK(!inputs.empty() && inputs.size() == items.size());
  const auto rows = inputs.size(), length = static_cast<std::size_t>(layout_->length());
  std::vector<data::Token> tokens(rows * length);
  std::vector<std::uint8_t> frozen(rows * length);
  for (std::size_t row = 0; row < rows; ++row)
    write_puzzle(inputs[row], {std::span(tokens).subspan(row * length, length),
                               std::span(frozen).subspan(row * length, length)});

  const c10::Device device = model_->device();
  const auto count = static_cast<std::int64_t>(rows);
  const engine::Batch batch{nn::tokens_tensor(tokens, count, device),
                            nn::bool_tensor(frozen, count, device),
                            nn::items_tensor(items, device)};
  const bool revision_is_sound = model_->settings().shift || card_.train_shown;
  spec::DecodingSettings resolved = settings.resolved(revision_is_sound);
  if (decoder() == spec::Decoder::kMultinomial)
    resolved.order = "multinomial";  // it has never seen a [MASK]
  if (decoder() == spec::Decoder::kOnePass)
    resolved.steps = 1;  // it has never seen part of an answer
  const auto frozen_row = [&](std::int64_t row) {
    return std::span<const std::uint8_t>(frozen).subspan(static_cast<std::size_t>(row) * length,
                                                         length);
  };
  const bool autoregressive = decoder() == spec::Decoder::kLeftToRight;
  if (resolved.tries > 1 &&
      (autoregressive || (decoder() == spec::Decoder::kOnePass && !resolved.samples_tokens())))
    throw UsageError(
        fmt::format("{} tries of a model that always answers the same", resolved.tries),
        "one try: it decodes without noise");
  if (resolved.loops > 0 &&
      (autoregressive || !spec::architecture_kind(model_->settings().architecture).loops))
    throw UsageError(fmt::format("{} loops of a model without loops to add", resolved.loops),
                     "loops only with a looped model that does not answer left to right");
  engine::Result first, best;
  if (autoregressive) {
    first = best = engine::decode_autoregressive(*model_, batch, on_step, half_precision_);
  } else if (resolved.tries == 1) {
    first = best = decode(batch, resolved, on_step);
  } else {
    const auto verified = [&](std::int64_t row, const at::Tensor& answer_tokens) {
      const tasks::Example example{inputs[static_cast<std::size_t>(row)], ""};
      return tasks::judge(*task_, example, read_row(answer_tokens, frozen_row(row))).correct;
    };
    engine::Restarts restarts = engine::decode_with_restarts(
        [&](const engine::Batch& tried) { return decode(tried, resolved, on_step); }, batch,
        resolved, verified);
    first = std::move(restarts.first);
    best = std::move(restarts.best);
  }

  const at::Tensor first_tokens = first.tokens.cpu(), best_tokens = best.tokens.cpu();
  const at::Tensor first_passes = first.forward_passes.cpu(),
                   best_passes = best.forward_passes.cpu();
  std::vector<Answer> answers;
  for (std::int64_t row = 0; row < count; ++row)
    answers.push_back(
        {read_row(first_tokens[row], frozen_row(row)), first_passes.data_ptr<std::int64_t>()[row],
         read_row(best_tokens[row], frozen_row(row)), best_passes.data_ptr<std::int64_t>()[row]});
  return answers;
}

engine::Result Reasoner::decode(const engine::Batch& batch, const spec::DecodingSettings& settings,
                                const engine::OnStep& on_step) const {
  const engine::Network of_model = network(settings.loops);
  if (decoder() == spec::Decoder::kMultinomial)
    return engine::decode_multinomial(of_model, vocabulary_.size(), batch, settings, on_step);
  return engine::decode(of_model, batch, settings, on_step);
}

std::string Reasoner::read_row(const at::Tensor& tokens,
                               std::span<const std::uint8_t> frozen) const {
  const at::Tensor bytes = tokens.to(at::kByte).contiguous();
  std::string text = layout_->read_answer(
      vocabulary_, {bytes.data_ptr<std::uint8_t>(), static_cast<std::size_t>(bytes.numel())},
      frozen);
  if (!card_.reverse) return text;
  // A malformed answer cannot be turned round and stays as it is: it is wrong either way.
  try {
    return task_->reversed_output(tasks::up_to_end(text)) + "[EOS]";
  } catch (const Error&) {
    return text;
  }
}

}  // namespace mgdm::evaluation
