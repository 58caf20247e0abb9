#include "cli/solve_puzzles.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/exact_search.h"
#include "cli/painter.h"
#include "data/examples_file.h"
#include "inference/models.h"
#include "inference/solve_stream.h"
#include "model_files/describe.h"
#include "tasks/score.h"

namespace mgdm::cli {
namespace {

// Says beside the answer what is wrong with it, what would be right, and whether it is the only
// one. Returns whether another try may be right.
bool explain(const inference::Solved& solved, const tasks::Task& task,
             const SolveSettings& settings) {
  if (!solved.asked) {
    say("not solved: {}\n", printable(solved.check.faults.front().words));
    return false;
  }
  const tasks::Graded* const graded = task.abilities().graded;
  const bool one_of_many =
      solved.check.right() && graded != nullptr &&
      graded->guesses({solved.input, solved.text}) == tasks::Graded::kManySolutions;
  say("{}: {}, {}{}\n", task.name(), inference::verdict_of(solved), inference::effort(solved),
      one_of_many ? "; the puzzle has other solutions, too" : "");
  if (!solved.check.wrong() && !settings.exact) return false;
  const inference::Solved searched = solve_exactly(task, solved.input, settings.rules);
  const std::optional<std::string> right =
      searched.check.right() ? std::optional(searched.text) : std::nullopt;
  if (!solved.check.wrong()) {
    if (right) say("  by exact search: {}\n", *right);
    return false;
  }
  if (!right && task.can_solve()) {
    say("  no answer is right: the puzzle has {}{}\n", task.no_solution(),
        rules_to_try(task, settings.rules));
    return false;
  }
  for (std::size_t i = 0; i < solved.check.faults.size() && i < 3; ++i)
    say("  {}\n", printable(tasks::without_special_tokens(solved.check.faults[i].words)));
  if (right && right->find('\n') == std::string::npos)
    say("  right, by exact search: {}\n", *right);
  return true;
}

// The answer as it is printed.
std::string text_of(const inference::Solved& solved, const tasks::Task& task,
                    const SolveSettings& settings) {
  const bool both = settings.exact && !settings.model.empty();
  if (settings.json) return inference::solved_json(solved, task, both);
  if (settings.csv) return inference::solved_csv(solved, task, both);
  const std::string text = tasks::without_special_tokens(solved.text);
  return settings.format == "grid" ? printable(task.drawn(text), "\n") : printable(text);
}

// How the files are read: by the task of the named model, or as puzzles of any task.
formats::Rules rules_of(const SolveSettings& settings, const inference::LoadedModel* named) {
  const formats::Keys keys = formats::keys_of(settings.keys);
  return named != nullptr ? data::rules_for(named->task(), keys)
                          : formats::Rules{formats::Rules::Lines::kAny, keys};
}

// Calls use(prepare(puzzle)) for all puzzles: those of the command line, then those of the file.
// Errors go to on_bad, with the place of the puzzle.
template <class Prepare, class Use>
void for_each_puzzle(const SolveSettings& settings, const formats::Rules& rules,
                     const OnBadLine& on_bad, const Prepare& prepare, const Use& use) {
  const auto give = [&](const std::string& place, std::size_t line, const std::string& puzzle) {
    auto prepared = unless_bad(on_bad, [&] {
      return place.empty() ? prepare(puzzle)
                           : with_location(place, line, [&] { return prepare(puzzle); });
    });
    if (prepared) use(*std::move(prepared));
  };
  const bool alone = settings.puzzles.size() == 1;
  for (std::size_t i = 0; i < settings.puzzles.size(); ++i)
    give(alone ? "" : fmt::format("puzzle {}", i + 1), 0, settings.puzzles[i]);
  if (settings.input.empty()) return;
  data::for_each_puzzle(
      settings.input, rules,
      [&](data::FoundPuzzle&& found) {
        give(std::string(found.file), found.line, found.puzzle.puzzle);
      },
      on_bad);
}

// How many puzzles there are, or 0 where that is unknown before they are read: in a pipe.
std::uint64_t count_puzzles(const SolveSettings& settings, const formats::Rules& rules) {
  std::uint64_t count = settings.puzzles.size();
  if (settings.input.empty()) return count;
  std::error_code none;
  if (!std::filesystem::is_regular_file(settings.input, none)) return 0;
  const auto add = [&](const auto&) { ++count; };
  data::for_each_puzzle(settings.input, rules, add, add);
  return count;
}

// A progress line that ends where something else is printed on the terminal.
class SolveProgress {
 public:
  SolveProgress(const SolveSettings& settings, const formats::Rules& rules)
      : alone_((settings.json || settings.csv) && ::isatty(STDOUT_FILENO) == 0) {
    const bool shown = alone_ && !settings.quiet;
    progress_.emplace("solving", shown ? count_puzzles(settings, rules) : 0, settings.quiet);
  }
  void end() { progress_.reset(); }
  void add() {
    if (!alone_) end();
    if (progress_) progress_->add(1);
  }

 private:
  const bool alone_;  // answers go to a file, and nothing is said of them
  std::optional<Progress> progress_;
};

// Answers the puzzles in their order. prepare(puzzle) gives who answers it, and the puzzle as they
// want it; stream_of(who) the stream that delivers their answers. One stream has puzzles under way.
template <class Prepare, class StreamOf>
void answer_in_order(const SolveSettings& settings, const formats::Rules& rules,
                     SolveProgress& progress, Tally& outcome, const Prepare& prepare,
                     const StreamOf& stream_of) {
  std::remove_reference_t<decltype(stream_of(prepare("").first))>* stream = nullptr;
  const auto finish = [&] {
    if (stream != nullptr) stream->finish();
  };
  const auto on_bad = [&](const Error& error) {
    finish();  // complaints come after the answers before them
    progress.end();
    outcome.complain(error, settings);
  };
  try {
    for_each_puzzle(settings, rules, on_bad, prepare, [&](auto&& ready) {
      auto* const next = &stream_of(ready.first);
      if (next != stream) finish();
      stream = next;
      stream->add(std::move(ready.second));
    });
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    finish();
    throw;
  }
  finish();
}

using Ready = std::pair<const inference::LoadedModel*, inference::Prepared>;

// The puzzle for the model that answers it. Error where the model learned one size, and padding
// cannot bring the puzzle to it.
Ready prepared(Models& models, const std::string& puzzle, const SolveSettings& settings) {
  const inference::LoadedModel& model = models.of(puzzle, settings);
  model.resolved(settings.decode.over(model));  // what is wrong with flags comes first
  inference::Prepared ready = model.prepare(puzzle);
  if (model.task().abilities().padding != nullptr)
    if (const auto size = model.task().unfamiliar(ready.input))
      throw Error(
          fmt::format("{}: {} that the model was trained on", in_quotes(ready.input), *size),
          "that size, or a smaller puzzle", "--exact, which searches without a model");
  return {&model, std::move(ready)};
}

// Counts a model's answer, prints it and says what there is to say of it. That puzzles are unlike
// the model's is said once.
void take(Tally& outcome, const inference::Solved& solved, const inference::LoadedModel& model,
          const SolveSettings& settings) {
  if (solved.unfamiliar && !std::exchange(outcome.noted, true)) note_unfamiliar(solved, settings);
  fmt::print("{}\n", text_of(solved, model.task(), settings));
  const bool silent = settings.json || settings.csv || settings.quiet;
  const bool may_be_right = !silent && explain(solved, model.task(), settings);
  outcome.try_again |= may_be_right && settings.decode.over(model).tries == 1 && model.has_forms();
  outcome.count(solved);
}

Tally watch_all(Models& models, const SolveSettings& settings) {
  Tally outcome;
  std::uint32_t item = 0;
  for_each_puzzle(
      settings, rules_of(settings, models.named(settings)),
      [&](const Error& error) { outcome.complain(error, settings); },
      [&](const std::string& puzzle) { return prepared(models, puzzle, settings); },
      [&](Ready&& ready) {
        stop_if_interrupted();
        const inference::LoadedModel& model = *ready.first;
        take(outcome, solve_shown(model, ready.second.input, item++, settings), model, settings);
      });
  return outcome;
}

// Solves as many puzzles at a time as fit into memory, one model after the other where the file has
// puzzles of several tasks.
Tally solve_batches(Models& models, const SolveSettings& settings) {
  Tally outcome;
  const formats::Rules rules = rules_of(settings, models.named(settings));
  SolveProgress progress(settings, rules);
  std::map<const inference::LoadedModel*, inference::SolveStream> streams;
  const auto stream_of = [&](const inference::LoadedModel* model) -> inference::SolveStream& {
    const auto found = streams.find(model);
    if (found != streams.end()) return found->second;
    const auto on_solved = [&, model](const inference::Solved& solved) {
      if (solved.unfamiliar && !outcome.noted) progress.end();
      progress.add();
      take(outcome, solved, *model, settings);
      flush_output();
    };
    return streams
        .try_emplace(model, *model, settings.decode.over(*model),
                     static_cast<std::size_t>(settings.batch), on_solved)
        .first->second;
  };
  answer_in_order(
      settings, rules, progress, outcome,
      [&](const std::string& puzzle) { return prepared(models, puzzle, settings); }, stream_of);
  return outcome;
}

// The tasks whose searches answer, each made once.
class Tasks {
 public:
  const tasks::Task& of(const std::string& puzzle) {
    if (last_ != nullptr && fit(*last_, puzzle) == Fit::kFits) return *last_;
    auto task = task_of_puzzle(puzzle);
    last_ = made_.emplace(task->name(), std::move(task)).first->second.get();
    return *last_;
  }

 private:
  std::map<std::string, std::unique_ptr<tasks::Task>> made_;
  const tasks::Task* last_ = nullptr;
};

}  // namespace

const inference::LoadedModel* Models::named(const SolveSettings& settings) {
  return settings.model.empty() ? nullptr : &load(inference::find_model(settings.model), settings);
}

const inference::LoadedModel& Models::of(const std::string& puzzle, const SolveSettings& settings) {
  if (const inference::LoadedModel* const model = named(settings)) return *model;
  if (!picker_) picker_.emplace(diffusion_models());
  return load(picker_->pick(puzzle).folder, settings);
}

const inference::LoadedModel& Models::of(const formats::Cnf& formula, const std::string& file,
                                         const SolveSettings& settings) {
  if (const inference::LoadedModel* const model = named(settings)) return *model;
  return load(pick_model(diffusion_models(), formula, file), settings);
}

const inference::LoadedModel& Models::load(const std::string& folder,
                                           const SolveSettings& settings) {
  if (const auto found = loaded_.find(folder); found != loaded_.end()) return *found->second;
  if (!settings.quiet) say("{}", printable(model_files::unchecked_note(folder), "\n"));
  auto model = std::make_unique<inference::LoadedModel>(
      inference::LoadedModel::load(folder, settings.compute));
  if (!settings.verifier.empty()) model->use_verifier(settings.verifier);
  return *loaded_.emplace(folder, std::move(model)).first->second;
}

void Tally::complain(const Error& error, const SolveSettings& settings) {
  fmt::print("{}\n", settings.json  ? inference::error_json(error.what())
                     : settings.csv ? inference::error_csv(error.what())
                                    : "");
  bad.add(error);
}

Tally answer_by_models(Models& models, const SolveSettings& settings) {
  return (settings.show ? watch_all : solve_batches)(models, settings);
}

Tally answer_by_search(const SolveSettings& settings) {
  struct Found {
    inference::Solved solved;
    std::string text;
  };
  Tally outcome;
  const formats::Rules rules = rules_of(settings, /*named=*/nullptr);
  SolveProgress progress(settings, rules);
  Tasks tasks;
  std::map<const tasks::Task*, ExampleBatches<Found>> streams;
  const auto stream_of = [&](const tasks::Task* task) -> ExampleBatches<Found>& {
    const auto found = streams.find(task);
    if (found != streams.end()) return found->second;
    const auto search = [&settings, task](const data::LocatedExample& located) {
      inference::Solved solved = solve_exactly(*task, located.example.input, settings.rules);
      std::string text = text_of(solved, *task, settings);
      return Found{std::move(solved), std::move(text)};
    };
    const auto print = [&, task](Found&& answer) {
      progress.add();
      outcome.count(answer.solved);
      fmt::print("{}\n", answer.text);
      if (settings.json || settings.csv || settings.quiet) return;
      const auto& faults = answer.solved.check.faults;
      say("{}: {}\n", task->name(),
          faults.empty() ? "by exact search"
                         : faults.front().words + rules_to_try(*task, settings.rules));
    };
    return streams.try_emplace(task, static_cast<int>(settings.compute.threads), search, print)
        .first->second;
  };
  answer_in_order(
      settings, rules, progress, outcome,
      [&](const std::string& puzzle) {
        const tasks::Task& task = tasks.of(puzzle);
        return std::pair(&task, data::LocatedExample{{task.normalize_input(puzzle), ""}, 0});
      },
      stream_of);
  return outcome;
}

}  // namespace mgdm::cli
