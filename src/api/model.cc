#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "api/failure.h"
#include "api/looked_at.h"
#include "api/options.h"
#include "inference/loaded_model.h"
#include "inference/models.h"
#include "inference/solve.h"
#include "mgdm/mgdm.h"
#include "model_files/checkpoint_config.h"
#include "spec/tensors.h"

namespace mgdm {
namespace {

inference::LoadedModel load(const std::string& folder, const LoadOptions& options) {
  api::check(options);
  return inference::LoadedModel::load(
      folder, {options.device, options.threads, options.arithmetic, options.deterministic});
}

std::vector<std::string> tokens_of(const data::Vocabulary& vocabulary) {
  if (vocabulary.tokenizer()) return {};
  std::vector<std::string> tokens(data::kSpecialNames.begin(), data::kSpecialNames.end());
  tokens.insert(tokens.end(), vocabulary.words().begin(), vocabulary.words().end());
  return tokens;
}

ModelInfo info_of(const std::string& folder, const inference::LoadedModel& model) {
  const spec::ModelSettings network = model_files::read_config(folder).settings;
  const spec::ModelCard& card = model.card();
  return {folder,
          card.task,
          card.objective,
          network.architecture,
          spec::parameter_count(network),
          model.network().device,
          api::own_options(model),
          model.network().arithmetic,
          tokens_of(model.rows().vocabulary())};
}

// Lets one call at a time through; the others are told, not mixed up.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true))
      throw Failure("the model is answering another call",
                    "one call at a time, and none from a step callback",
                    "Model::clone() for each thread, or a ModelPool");
  }
  ~Turn() { busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

// What a model holds; a Failure where it was moved away.
template <class Held>
const std::shared_ptr<Held>& held(const std::shared_ptr<Held>& loaded) {
  if (!loaded)
    throw Failure("this model was moved from", "one that was loaded", "use the one it moved to");
  return loaded;
}

// What a function of the caller threw, so that it can be told from our own errors.
struct ThrownByCaller {
  std::exception_ptr exception;
};

template <class Function>
auto call(const Function& function) {
  try {
    return function();
  } catch (...) {
    throw ThrownByCaller{std::current_exception()};
  }
}

// Runs `work`; an exception becomes a Failure, except what a function of the caller threw.
template <class Work>
auto or_failure(const Work& work) {
  try {
    return api::or_failure(work);
  } catch (const ThrownByCaller& thrown) {
    std::rethrow_exception(thrown.exception);
  }
}

// The error of a puzzle; what ends the whole call is thrown.
Failure failure_of(const std::exception_ptr& error) {
  try {
    api::or_failure([&] { std::rethrow_exception(error); });
  } catch (const Failure& failure) {
    return failure;
  }
  check_failed("an exception", __FILE__, __LINE__);
}

void end_if_thrown_by_caller(std::size_t, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ThrownByCaller&) {
    throw;
  } catch (...) {  // the puzzle's own, which it keeps
  }
}

Answer answer_of(inference::Solved&& solved) {
  Answer answer;
  answer.puzzle = std::move(solved.input);
  if (solved.error) {
    answer.error = failure_of(solved.error);
    return answer;
  }
  answer.text = std::move(solved.text);
  answer.correct = solved.check.right();
  answer.checked = solved.check.right() || solved.check.wrong();
  answer.passes = solved.best.passes;
  for (tasks::Fault& fault : solved.check.faults) answer.faults.push_back(std::move(fault.words));
  return answer;
}

// The tokens of a row from the caller. Error unless they are `length` tokens below `vocabulary`.
std::vector<data::Token> tokens_in(const TokenRow& row, std::size_t length, int vocabulary) {
  if (row.tokens.size() != length || row.given.size() != length)
    throw Error(fmt::format("a row of {} tokens, {} of them marked as given or not",
                            row.tokens.size(), row.given.size()),
                fmt::format("{} tokens and as many marks", length));
  for (const std::int32_t token : row.tokens)
    if (token < 0 || token >= vocabulary)
      throw Error(fmt::format("token {}", token), fmt::format("0 to {}", vocabulary - 1));
  return {row.tokens.begin(), row.tokens.end()};
}

}  // namespace

struct Model::Loaded {
  Loaded(const std::string& folder, const LoadOptions& options)
      : model(load(folder, options)), info(info_of(folder, model)), batch(options.batch) {}
  Loaded(const Loaded& other, int threads)
      : model(other.model.share(threads)), info(other.info), batch(other.batch) {}

  inference::LoadedModel model;
  const ModelInfo info;
  const std::size_t batch;
  std::atomic<bool> busy = false;
};

Model::Model(const std::string& folder_or_name, const LoadOptions& options)
    : loaded_(api::or_failure([&] {
        return std::make_shared<Loaded>(inference::find_model(folder_or_name, options.models),
                                        options);
      })) {}

Model::Model(std::shared_ptr<Loaded> loaded) : loaded_(std::move(loaded)) {}

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

const ModelInfo& Model::info() const { return held(loaded_)->info; }

Answer Model::solve(const std::string& puzzle, const DecodingOptions& options,
                    const OnStep& on_step) {
  Answer answer = std::move(solve_all({puzzle}, options, on_step).front());
  if (answer.error) throw Failure(*std::move(answer.error));
  return answer;
}

std::vector<Answer> Model::solve_all(const std::vector<std::string>& puzzles,
                                     const DecodingOptions& options, const OnStep& on_step,
                                     const OnPass& on_pass) {
  const std::shared_ptr<Loaded> loaded = held(loaded_);  // a step callback may destroy the model
  const Turn turn(loaded->busy);
  bool thrown = false;
  inference::OnStepOfPuzzle observer;
  if (on_step)
    observer = [&](std::size_t puzzle, const inference::StepText& step) {
      if (std::exchange(thrown, true)) return false;  // puzzles beside the one that threw
      const bool go_on = call([&] {
        return on_step({puzzle, step.attempt, step.pass, step.text, step.confidence});
      });
      thrown = false;
      return go_on;
    };
  inference::OnPass between;
  if (on_pass) between = [&] { call(on_pass); };
  return or_failure([&] {
    const decoding::DecodingSettings settings = api::over(loaded->model, options);
    std::vector<Answer> answers;
    for (inference::Solved& solved :
         inference::solve_all(loaded->model, puzzles, options.first, settings, loaded->batch,
                              observer, end_if_thrown_by_caller, between)) {
      answers.push_back(answer_of(std::move(solved)));
      if (options.exact && !answers.back().error)
        answers.back().right = loaded->model.task().solve(answers.back().puzzle);
    }
    return answers;
  });
}

Model Model::clone(int threads) const {
  return Model(or_failure([&] {
    LoadOptions options;
    options.threads = threads;
    api::check(options);
    return std::make_shared<Loaded>(*held(loaded_), threads);
  }));
}

void Model::use_verifier(Verifier verifier) {
  const std::shared_ptr<Loaded> loaded = held(loaded_);
  const Turn turn(loaded->busy);
  or_failure([&] {
    loaded->model.use_verifier([verifier = std::move(verifier)](const tasks::Example& example,
                                                                std::string_view answer)
                                   -> std::optional<tasks::text::Judgement> {
      const Verdict verdict = call([&] { return verifier(example.input, std::string(answer)); });
      return tasks::text::Judgement{verdict.score, verdict.why};
    });
  });
}

PuzzleCheck Model::check(const std::string& puzzle) const {
  const std::shared_ptr<Loaded> loaded = held(loaded_);
  return or_failure([&] {
    loaded->model.prepare(puzzle);
    return api::looked_at(loaded->model.task(), puzzle);
  });
}

TokenRow Model::encode(const std::string& puzzle) const {
  const std::shared_ptr<Loaded> loaded = held(loaded_);
  return or_failure([&] {
    inference::Prepared prepared = loaded->model.prepare(puzzle);
    const data::Token mask = loaded->model.rows().vocabulary().specials().mask;
    for (std::size_t n = 0; n < prepared.tokens.size(); ++n)
      if (prepared.frozen[n] == 0) prepared.tokens[n] = mask;
    return TokenRow{{prepared.tokens.begin(), prepared.tokens.end()}, std::move(prepared.frozen)};
  });
}

std::string Model::decode(const TokenRow& row) const {
  const std::shared_ptr<Loaded> loaded = held(loaded_);
  return or_failure([&] {
    const spec::PuzzleRows& rows = loaded->model.rows();
    const std::vector<data::Token> tokens = tokens_in(row, rows.length(), rows.vocabulary().size());
    return rows.read(tokens, row.given);
  });
}

std::vector<float> Model::logits(const std::vector<TokenRow>& rows, std::int64_t loops) {
  const std::shared_ptr<Loaded> loaded = held(loaded_);
  const Turn turn(loaded->busy);
  return or_failure([&] {
    decoding::Network& network = *loaded->model.network().network;
    const std::size_t length = rows.empty() ? 0 : rows.front().tokens.size();
    std::vector<data::Token> tokens;
    std::vector<std::uint8_t> given;
    for (const TokenRow& row : rows) {
      const auto more = tokens_in(row, length, static_cast<int>(network.vocabulary()));
      tokens.insert(tokens.end(), more.begin(), more.end());
      given.insert(given.end(), row.given.begin(), row.given.end());
    }
    std::vector<float> logits(tokens.size() * network.vocabulary());
    if (!logits.empty()) network.logits({rows.size(), length, tokens, given}, loops, logits);
    return logits;
  });
}

}  // namespace mgdm
