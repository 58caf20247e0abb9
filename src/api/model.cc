#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "api/failure.h"
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
          model.network().arithmetic};
}

// Lets one call at a time through; the others are told, not mixed up.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true))
      throw Failure("the model is answering another call",
                    "one call at a time, and none from a step callback", "a Model for each thread");
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

// Passes steps on to the caller's function and keeps what it throws, so that it can be told from
// our own errors.
class Caller {
 public:
  explicit Caller(const OnStep& on_step) : on_step_(on_step) {}

  bool see(std::size_t puzzle, const inference::StepText& step) {
    if (thrown_) return false;  // puzzles beside the one that threw
    try {
      return on_step_({puzzle, step.attempt, step.pass, step.text, step.confidence});
    } catch (...) {
      thrown_ = std::current_exception();
      throw;
    }
  }
  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  const OnStep& on_step_;
  std::exception_ptr thrown_;
};

Answer answer_of(inference::Solved&& solved) {
  Answer answer;
  answer.puzzle = std::move(solved.input);
  answer.text = std::move(solved.text);
  answer.correct = solved.check.right();
  answer.checked = solved.check.right() || solved.check.wrong();
  answer.passes = solved.best.passes;
  for (tasks::Fault& fault : solved.check.faults) answer.faults.push_back(std::move(fault.words));
  return answer;
}

}  // namespace

struct Model::Loaded {
  Loaded(const std::string& folder, const LoadOptions& options)
      : model(load(folder, options)), info(info_of(folder, model)), batch(options.batch) {}

  const inference::LoadedModel model;
  const ModelInfo info;
  const std::size_t batch;
  std::atomic<bool> busy = false;
};

Model::Model(const std::string& folder_or_name, const LoadOptions& options)
    : loaded_(api::or_failure([&] {
        return std::make_shared<Loaded>(inference::find_model(folder_or_name, options.models),
                                        options);
      })) {}

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

const ModelInfo& Model::info() const { return held(loaded_)->info; }

Answer Model::solve(const std::string& puzzle, const DecodingOptions& options,
                    const OnStep& on_step) {
  return std::move(solve_all({puzzle}, options, on_step).front());
}

std::vector<Answer> Model::solve_all(const std::vector<std::string>& puzzles,
                                     const DecodingOptions& options, const OnStep& on_step) {
  const std::shared_ptr<Loaded> loaded = held(loaded_);  // a step callback may destroy the model
  const Turn turn(loaded->busy);
  Caller caller(on_step);
  inference::OnStepOfPuzzle observer;
  if (on_step)
    observer = [&](std::size_t puzzle, const inference::StepText& step) {
      return caller.see(puzzle, step);
    };
  try {
    return api::or_failure([&] {
      const decoding::DecodingSettings settings = api::over(loaded->model, options);
      std::vector<Answer> answers;
      for (inference::Solved& solved : inference::solve_all(loaded->model, puzzles, options.first,
                                                            settings, loaded->batch, observer))
        answers.push_back(answer_of(std::move(solved)));
      return answers;
    });
  } catch (...) {
    if (caller.thrown()) std::rethrow_exception(caller.thrown());
    throw;
  }
}

}  // namespace mgdm
