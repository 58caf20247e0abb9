#include "inference/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/cores.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "spec/kinds.h"
#include "tasks/all_tasks.h"
#include "tasks/special_tokens.h"

namespace mgdm::inference {

std::string Prepared::own_answer(std::string answer) const {
  if (!padded) return answer;
  return padded->own_answer(std::string(tasks::up_to_end(answer))) + std::string(tasks::kEndName);
}

LoadedModel::LoadedModel(LoadedNetwork network, spec::ModelSettings settings, spec::ModelCard card,
                         data::Vocabulary vocabulary)
    : network_(std::make_shared<const LoadedNetwork>(std::move(network))),
      settings_(std::move(settings)),
      card_(std::move(card)),
      rows_(std::make_shared<spec::PuzzleRows>(card_, std::move(vocabulary))) {}

LoadedModel LoadedModel::load(const std::string& folder, const ComputeSettings& settings) {
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  if (!config.about.card || !model_files::has_vocabulary(folder, config))
    throw Error(fmt::format("the config.json in {} names no task", folder),
                "a model trained by mgdm, or one with an mgdm block in config.json");
  const spec::ModelCard& card = *config.about.card;
  return {load_network(folder, config, card, settings), config.settings, card,
          model_files::read_vocabulary(folder, config)};
}

void LoadedModel::use_verifier(const std::string& command) {
  rows_ = std::make_shared<spec::PuzzleRows>(card_, rows_->vocabulary(),
                                             tasks::text::make_verified(card_.task, command));
}

void LoadedModel::use_verifier(tasks::text::Judge judge) {
  rows_ = std::make_shared<spec::PuzzleRows>(
      card_, rows_->vocabulary(), tasks::text::make_verified(card_.task, std::move(judge)));
}

LoadedModel LoadedModel::share(int threads) const {
  LoadedNetwork network{
      .network = network_->network->share(threads),
      .device = network_->device,
      .arithmetic = network_->arithmetic,
      .enough = kEnoughForAThread * static_cast<std::size_t>(thread_count(threads))};
  if (!network.network)
    throw Error(fmt::format("a model on {} cannot be cloned", network_->device),
                "a gpt2 or looped model on the CPU, without LibTorch",
                "load the model once more, or ask it from one thread");
  LoadedModel copy = *this;
  copy.network_ = std::make_shared<const LoadedNetwork>(std::move(network));
  return copy;
}

std::optional<std::string> LoadedModel::missing_for(
    std::string_view key, const decoding::DecodingSettings& settings) const {
  return spec::missing_for(fmt::format("decoding.{}", key),
                           {.objective = card_.objective,
                            .architecture = settings_.architecture,
                            .order = settings.order,
                            .optimizer = {},
                            .schedule = {},
                            .early_stop = settings.early_stop,
                            .several_forms = settings.several_forms()});
}

decoding::DecodingSettings LoadedModel::resolved(const decoding::DecodingSettings& asked) const {
  decoding::DecodingSettings settings = asked.resolved(settings_.shift || card_.train_shown);
  const decoding::Decoder decoder = spec::objective_kind(card_.objective).decoder;
  settings.decoder = decoder;
  if (decoder == decoding::Decoder::kOnePass) settings.steps = 1;  // it never saw part of an answer
  check_symmetries(settings);
  if (!has_forms()) settings.check_tries();
  if (settings.loops > 0 && (decoder == decoding::Decoder::kLeftToRight ||
                             !spec::architecture_kind(settings_.architecture).loops))
    throw UsageError(fmt::format("{} loops of a model without loops to add", settings.loops),
                     "loops only with a looped model that does not answer left to right");
  return settings;
}

void LoadedModel::check_symmetries(const decoding::DecodingSettings& settings) const {
  if (settings.symmetries == 1) return;
  const std::string asked = fmt::format("{} symmetries", settings.symmetries);
  if (!task().abilities().views)
    throw UsageError(fmt::format("{} of the task {}", asked, task().name()),
                     tasks::tasks_with(&tasks::Abilities::views));
  if (rows_->vocabulary().tokenizer())
    throw UsageError(fmt::format("{} with the tokens of a language model", asked),
                     "a model whose vocabulary is an alphabet or a list of words");
  if (settings.tries > 1)
    throw UsageError(fmt::format("{} and {} tries", asked, settings.tries),
                     "one of the two: symmetries vote, tries are verified");
}

bool LoadedModel::has_forms() const {
  return task().abilities().views != nullptr && !rows_->vocabulary().tokenizer();
}

std::vector<data::View> LoadedModel::other_forms(const std::string& input, std::uint32_t item,
                                                 const decoding::DecodingSettings& resolved) const {
  if (!has_forms()) return {};
  constexpr std::int64_t kDraws = 8;  // for each: of six forms, hardly one is missed
  const std::int64_t forms =
      std::max(resolved.symmetries, std::min(resolved.tries, decoding::kMostSymmetries));
  std::vector<data::View> views;
  std::set<std::string> seen{input};
  for (std::int64_t k = 1; k < kDraws * forms; ++k) {
    if (std::ssize(seen) == forms) break;
    Stream random(static_cast<std::uint64_t>(resolved.seed), Purpose::kView, item,
                  static_cast<std::uint32_t>(k));
    const tasks::View view = task().abilities().views->view(input, random);
    if (seen.insert(view.input).second) views.push_back(rows_->view(view));
  }
  return views;
}

Prepared LoadedModel::prepare(const std::string& puzzle) const {
  Prepared prepared{task().normalize_input(puzzle),
                    std::vector<data::Token>(rows_->length()),
                    std::vector<std::uint8_t>(rows_->length()),
                    {}};
  if (const tasks::Padding* const padding = task().abilities().padding)
    prepared.padded = padding->padded(prepared.input);
  rows_->write_puzzle(prepared.read(), {prepared.tokens, prepared.frozen});
  prepared.contradiction = task().contradiction(prepared.input);
  return prepared;
}

Question LoadedModel::question(const Prepared& puzzle, std::uint32_t item,
                               const decoding::DecodingSettings& resolved, OnStep on_step) const {
  Question question;
  question.puzzle = {.tokens = puzzle.tokens,
                     .frozen = puzzle.frozen,
                     .item = item,
                     .settings = resolved,
                     .specials = rows_->vocabulary().specials()};
  question.views = other_forms(puzzle.read(), item, resolved);
  if (resolved.tries > 1)
    question.verified = [rows = rows_, puzzle](std::span<const data::Token> tokens) {
      const std::string answer = puzzle.own_answer(rows->read(tokens, puzzle.frozen));
      return tasks::judge(rows->task(), {puzzle.input, ""}, answer).correct;
    };
  if (on_step)
    question.observer = [rows = rows_, frozen = puzzle.frozen,
                         on_step = std::move(on_step)](const decoding::Step& step) {
      return on_step(step_text(*rows, frozen, step));
    };
  return question;
}

Solved LoadedModel::solved(const Prepared& puzzle, const Outcome& outcome) const {
  if (outcome.error) std::rethrow_exception(outcome.error);
  const auto text_of = [&](const Answer& answer) {
    return AnswerText{puzzle.own_answer(rows_->read(answer.tokens, puzzle.frozen)), answer.passes};
  };
  Solved solved;
  solved.input = puzzle.input;
  solved.first = text_of(outcome.first);
  solved.best = text_of(outcome.best);
  solved.votes = outcome.votes;
  return solved;
}

Solved LoadedModel::unanswerable(const Prepared& puzzle,
                                 const decoding::DecodingSettings& settings) const {
  Solved solved;
  solved.input = puzzle.input;
  solved.check = {tasks::Check::Result::kWrong, {puzzle.contradiction.value()}};
  solved.votes = {settings.symmetries, 0, 0};
  solved.asked = false;
  return solved;
}

void LoadedModel::check(Solved& solved) const {
  if (!solved.asked) return;
  solved.text = tasks::up_to_end(solved.best.text);
  solved.check = tasks::check(task(), {solved.input, ""}, solved.best.text);
  solved.unfamiliar = task().unfamiliar(solved.input);
}

}  // namespace mgdm::inference
