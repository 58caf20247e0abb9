#include "inference/reasoner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/text.h"
#include "inference/trying.h"
#include "inference/voting.h"
#include "tasks/judge.h"

namespace mgdm::inference {

Reasoner::Reasoner(std::shared_ptr<Engine> engine, spec::ModelSettings model, spec::ModelCard card,
                   data::Vocabulary vocabulary)
    : engine_(voting_engine(trying_engine(std::move(engine)))),
      model_(std::move(model)),
      card_(std::move(card)),
      rows_(std::make_shared<spec::PuzzleRows>(card_, std::move(vocabulary))) {}

Reasoner Reasoner::load(const std::string& folder, const EngineSettings& settings) {
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  if (!config.about.card || !model_files::has_vocabulary(folder, config))
    throw Error(fmt::format("{} says nothing of a task", folder),
                "a model trained by mgdm, or one with an mgdm block in config.json");
  spec::ModelCard card = *config.about.card;
  std::shared_ptr<Engine> engine = make_engine(folder, config, card, settings);
  return {std::move(engine), config.settings, std::move(card),
          model_files::read_vocabulary(folder, config)};
}

std::optional<std::string> Reasoner::missing_for(std::string_view key,
                                                 const spec::DecodingSettings& settings) const {
  return spec::missing_for(fmt::format("decoding.{}", key),
                           {.objective = card_.objective,
                            .architecture = model_.architecture,
                            .order = settings.order,
                            .optimizer = {},
                            .schedule = {},
                            .early_stop = settings.early_stop,
                            .several_forms = settings.several_forms()});
}

spec::DecodingSettings Reasoner::resolved(const spec::DecodingSettings& asked) const {
  spec::DecodingSettings settings = asked.resolved(model_.shift || card_.train_shown);
  const spec::Decoder decoder = spec::objective_kind(card_.objective).decoder;
  settings.decoder = decoder;
  if (decoder == spec::Decoder::kOnePass) settings.steps = 1;  // it never saw part of an answer
  check_symmetries(settings);
  if (!has_forms()) settings.check_tries();
  if (settings.loops > 0 && (decoder == spec::Decoder::kLeftToRight ||
                             !spec::architecture_kind(model_.architecture).loops))
    throw UsageError(fmt::format("{} loops of a model without loops to add", settings.loops),
                     "loops only with a looped model that does not answer left to right");
  return settings;
}

void Reasoner::check_symmetries(const spec::DecodingSettings& settings) const {
  if (settings.symmetries == 1) return;
  const std::string asked = fmt::format("{} symmetries", settings.symmetries);
  if (!task().abilities().views)
    throw UsageError(fmt::format("{} of the task {}", asked, task().name()),
                     "planning, countdown-K, sudoku or sat-N");
  if (rows_->vocabulary().tokenizer())
    throw UsageError(fmt::format("{} with the tokens of a language model", asked),
                     "a model whose vocabulary is an alphabet or a list of words");
  if (settings.tries > 1)
    throw UsageError(fmt::format("{} and {} tries", asked, settings.tries),
                     "one of the two: symmetries vote, tries are verified");
}

bool Reasoner::has_forms() const {
  return task().abilities().views && !rows_->vocabulary().tokenizer();
}

std::vector<data::View> Reasoner::other_forms(const std::string& input, std::uint32_t item,
                                              const spec::DecodingSettings& resolved) const {
  if (!has_forms()) return {};
  constexpr std::int64_t kDraws = 8;  // for each: of six forms, hardly one is missed
  const std::int64_t forms =
      std::max(resolved.symmetries, std::min(resolved.tries, spec::kMostSymmetries));
  std::vector<data::View> views;
  std::set<std::string> seen{input};
  for (std::int64_t k = 1; k < kDraws * forms; ++k) {
    if (std::ssize(seen) == forms) break;
    Stream random(static_cast<std::uint64_t>(resolved.seed), Purpose::kView, item,
                  static_cast<std::uint32_t>(k));
    const tasks::View view = task().view(input, random);
    if (seen.insert(view.input).second) views.push_back(rows_->view(view));
  }
  return views;
}

decoding::Request Reasoner::request(const std::string& input, std::uint32_t item,
                                    const spec::DecodingSettings& resolved,
                                    decoding::Observer observer) const {
  decoding::Request request;
  request.puzzle.tokens.resize(rows_->length());
  request.puzzle.frozen.resize(rows_->length());
  rows_->write_puzzle(input, {request.puzzle.tokens, request.puzzle.frozen});
  request.puzzle.item = item;
  request.puzzle.settings = resolved;
  request.views = other_forms(input, item, resolved);
  request.observer = std::move(observer);
  if (resolved.tries > 1)
    request.verified = [rows = rows_, input,
                        frozen = request.puzzle.frozen](std::span<const data::Token> tokens) {
      return tasks::judge(rows->task(), {input, ""}, rows->read(tokens, frozen)).correct;
    };
  return request;
}

Answer Reasoner::read(const decoding::Finished& finished,
                      std::span<const std::uint8_t> frozen) const {
  if (finished.error) std::rethrow_exception(finished.error);
  return {rows_->read(finished.first.tokens, frozen), finished.first.forward_passes,
          rows_->read(finished.best.tokens, frozen), finished.best.forward_passes, finished.votes};
}

void Reasoner::answer(std::span<const std::string> inputs, std::span<const std::uint32_t> items,
                      const spec::DecodingSettings& settings, std::size_t batch,
                      const std::function<void(Answers answers)>& take,
                      const decoding::Observer& on_step) const {
  MGDM_CHECK(inputs.size() == items.size() && batch > 0 && engine_->active() == 0);
  const spec::DecodingSettings now = resolved(settings);
  struct Waiting {
    std::size_t index;
    std::vector<std::uint8_t> frozen;
  };
  std::map<decoding::SlotId, Waiting> waiting;
  const auto leave_all = [&] {
    for (const auto& [slot, unused] : waiting) engine_->cancel(slot);
  };
  try {
    for (std::size_t next = 0; next < inputs.size() || !waiting.empty();) {
      stop_if_interrupted();
      for (; next < inputs.size() && waiting.size() < batch; ++next) {
        decoding::Observer observer;
        if (on_step)
          observer = [&on_step, next](const decoding::Step& step) {
            decoding::Step mine = step;
            mine.slot = next;
            return on_step(mine);
          };
        decoding::Request asked = request(inputs[next], items[next], now, std::move(observer));
        std::vector<std::uint8_t> frozen = asked.puzzle.frozen;
        waiting.emplace(engine_->join(std::move(asked)), Waiting{next, std::move(frozen)});
      }
      Answers answers;
      for (const decoding::Finished& finished : engine_->pass()) {
        const auto found = waiting.find(finished.slot);
        const Waiting mine = std::move(found->second);
        waiting.erase(found);
        answers.emplace_back(mine.index, read(finished, mine.frozen));
      }
      if (!answers.empty()) take(std::move(answers));
    }
  } catch (...) {
    leave_all();
    throw;
  }
}

std::vector<Answer> Reasoner::answer(std::span<const std::string> inputs,
                                     std::span<const std::uint32_t> items,
                                     const spec::DecodingSettings& settings,
                                     const decoding::Observer& on_step) const {
  std::vector<Answer> answers(inputs.size());
  if (inputs.empty()) return answers;
  answer(
      inputs, items, settings, inputs.size(),
      [&](Answers&& some) {
        for (auto& [index, one] : some) answers[index] = std::move(one);
      },
      on_step);
  return answers;
}

}  // namespace mgdm::inference
