#include "training/train.h"

#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/cores.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/progress.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "compat/parallel.h"
#include "data/batches.h"
#include "formats/checksums.h"
#include "training/optimizer.h"
#include "training/status_line.h"
#include "training/step.h"
#include "training/training_state.h"

namespace mgdm::training {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kEvaluationSeconds = "evaluation_seconds";
constexpr const char* kHeldOutLoss = "held_out_loss";
constexpr const char* kLessMemory =
    "a larger training.accumulate (the same batch in smaller parts), or a smaller training.batch";

class Loop {
 public:
  explicit Loop(const TrainingRun& run)
      : run_(run),
        share_(share_of(run.training, run.group)),
        budget_(run.training, static_cast<std::int64_t>(run.data.train.size())),
        state_(run.model, run.optimizer, run.training.ema),
        step_(state_, run.objective, run.group, run.training, run.optimizer.clip, run.seed, share_,
              run.data.train.length()),
        status_(run.quiet) {
    if (run.resume && run.folder != nullptr) restore();
    if (run.folder != nullptr) run.folder->judge_by(run.training.best);
    state_.share(run.group);
  }

  std::filesystem::path go() {
    if (run_.model.device().is_cuda()) compat::use_one_thread();
    Position& position = state_.position;
    data::Batches batches(run_.data.train, static_cast<std::size_t>(run_.training.batch), share_,
                          run_.seed, static_cast<std::uint64_t>(position.step), making_threads());
    started_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(position.seconds));
    last_checkpoint_ = Clock::now();
    last_log_ = position;
    const std::int64_t from = position.step;
    bool last = budget_.fraction(from, position.seconds) >= 1 || ended_early_before();
    if (last) tell_that_nothing_is_left();
    if (!last && !run_.resume) begin(from);
    while (!last) {
      const double done = budget_.fraction(position.step, seconds());
      factor_ = learning_rate_factor(run_.optimizer, position.step, done);
      status_.step_begins();
      compat::with_memory_for(memory_need(), kLessMemory, [&] {
        step_.run(batches.next(), factor_,
                  {.stop = stop_wanted(), .end = done >= 1 || out_of_patience()});
      });
      status_.step_ends();
      if (run_.resume && position.step == from) begin(from);
      ++position.step;
      position.seconds = seconds();
      const Wishes next = agreed();
      last = next.end;
      if (last || position.step % log_every() == 0) log(last);
      if (!last && status_.due()) status_.show(status());
      if (next.stop || (stopped_ && !last && run_.group.size() == 1)) stop();
      if (last || checkpoint_due()) {
        checkpoint();
        score_checkpoint();
      }
      if (!last && evaluation_due()) evaluate_or_save();
    }
    if (out_of_patience() && budget_.fraction(position.step, position.seconds) < 1)
      status_.keep(fmt::format("training ends early: {} has not improved for {} steps",
                               run_.training.best, run_.folder->steps_without_improvement()));
    return finish();
  }

 private:
  std::int64_t log_every() const {
    constexpr std::int64_t kUsual = 50, kLeastLines = 20;
    if (run_.training.log_every > 0) return run_.training.log_every;
    return budget_.steps() > 0 ? std::clamp<std::int64_t>(budget_.steps() / kLeastLines, 1, kUsual)
                               : kUsual;
  }

  // Only the first process knows what was measured.
  bool out_of_patience() const {
    return run_.training.patience > 0 && run_.folder != nullptr &&
           run_.folder->steps_without_improvement() >= run_.training.patience;
  }

  // The first process's answer, on all processes.
  bool ended_early_before() {
    const auto options = at::TensorOptions().device(run_.model.device()).dtype(at::kFloat);
    const at::Tensor ended = at::full({1}, out_of_patience() ? 1.0 : 0.0, options);
    run_.group.broadcast(ended);
    return ended.item<float>() > 0;
  }

  void begin(std::int64_t step) const {
    if (run_.folder != nullptr && run_.on_begin) run_.on_begin(step);
  }

  void tell_that_nothing_is_left() {
    if (const auto newest =
            run_.folder == nullptr ? std::nullopt : run_.folder->newest_checkpoint())
      status_.keep(
          fmt::format("nothing is left to train: what is asked for ends at {} or before (was an "
                      "override forgotten? the run's config.toml has them)",
                      newest->string()));
  }

  // What was trained is saved by now. A resumed run may have lost no more than its last evaluation.
  std::filesystem::path finish() {
    if (run_.folder == nullptr) {
      run_.group.finish();
      return {};
    }
    const bool evaluated =
        run_.folder->last_step_with(kEvaluationSeconds) == state_.position.step || evaluate();
    run_.group.finish();
    if (const auto best = run_.folder->best_checkpoint())
      status_.keep(fmt::format("best checkpoint by {} ({:.4f}): {}", run_.training.best,
                               best->value, best->checkpoint.string()));
    const std::filesystem::path saved = run_.folder->newest_checkpoint().value();
    if (!evaluated)
      throw Interrupted(
          fmt::format("interrupted in the last evaluation; {} is complete", saved.string()), "",
          "--resume evaluates it");
    return saved;
  }

  // Rows that are generated or augmented take longer to make than to train on: on a GPU, most of
  // the cores work for it. On a CPU they are busy with the network itself.
  int making_threads() const {
    if (!run_.data.made_on_the_fly) return 1;
    return run_.model.device().is_cuda() ? std::clamp(usable_cores() - 2, 2, 16) : 2;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  // Logs metrics of this step, and tells the caller, who may ask for an end.
  void record(const Metrics& metrics) {
    const Position& position = state_.position;
    run_.folder->log(position.step, metrics);
    if (!run_.on_progress) return;
    const double done = std::min(1.0, budget_.fraction(position.step, position.seconds));
    stopped_ = !run_.on_progress({position.step, done, metrics}) || stopped_;
  }

  bool stop_wanted() const { return interrupted() || stopped_; }

  // What all processes do next. One alone just looks; several read it off the step, on CUDA only
  // now and then, because reading waits for the device.
  Wishes agreed() const {
    const Position& position = state_.position;
    const bool over = budget_.fraction(position.step, position.seconds) >= 1;
    if (run_.group.size() == 1) return {stop_wanted(), over || out_of_patience()};
    constexpr std::int64_t kEvery = 8;
    const bool look = !run_.model.device().is_cuda() || position.step % kEvery == 0;
    Wishes all = look ? step_.wishes() : Wishes{};
    if (budget_.steps() > 0) all.end = all.end || over;  // no clock is asked
    return all;
  }

  [[noreturn]] void stop() {
    const std::filesystem::path saved = checkpoint();
    run_.group.finish();
    const std::string run = saved.empty() ? "" : saved.parent_path().string();
    throw Interrupted(fmt::format("interrupted at step {}{}", state_.position.step,
                                  saved.empty() ? "" : "; saved " + saved.string()),
                      "",
                      run.empty() ? "--resume continues from there"
                                  : fmt::format("mgdm train {}/config.toml --resume goes on", run));
  }

  void log(bool last) {
    Position& position = state_.position;
    const double loss = step_.loss();  // waits for the device
    if (!std::isfinite(loss)) throw diverged(loss);
    if (run_.folder == nullptr) return;
    position.seconds = seconds();
    tokens_per_second_ = speed();
    last_log_ = position;
    loss_text_ = loss_text(loss);
    Metrics metrics{{"loss", loss},
                    {"gradient_norm", step_.gradient_norm()},
                    {"lr_factor", factor_},
                    {"tokens_per_second", tokens_per_second_},
                    {"seconds", position.seconds}};
    if (const std::size_t size = run_.data.train.size(); size > 0)
      metrics.emplace_back("epoch", static_cast<double>(position.step) *
                                        static_cast<double>(run_.training.batch) /
                                        static_cast<double>(size));
    if (run_.data.held_out.size() > 0 && (last || watch_due())) watch(metrics);
    record(metrics);
    if (last) status_.keep(status());
  }

  // Tokens per second since the last line of metrics. On CUDA by the steps that were queued.
  double speed() const {
    const double elapsed = state_.position.seconds - last_log_.seconds;
    const auto steps = static_cast<double>(state_.position.step - last_log_.step);
    const auto row = static_cast<double>(run_.data.train.length());
    return elapsed > 0 ? steps * static_cast<double>(run_.training.batch) * row / elapsed : 0;
  }

  static std::string loss_text(double loss) { return fmt::format("  loss {:.4f}", loss); }

  // How it goes, without waiting for a GPU: its loss is the last that was logged.
  std::string status() const {
    const Position& position = state_.position;
    const double done = budget_.fraction(position.step, position.seconds);
    const double left = done > 0 ? position.seconds * (1 - done) / done : 0;
    const bool cpu = run_.model.device().is_cpu();
    // What matters most first: a narrow terminal shows the beginning.
    return fmt::format("step {}{}  {:3.0f}%  {} left{}  {} tokens/s{}", position.step,
                       budget_.steps() > 0 ? fmt::format("/{}", budget_.steps()) : "", 100 * done,
                       format_duration(left), cpu ? loss_text(step_.loss()) : loss_text_,
                       format_count(tokens_per_second_ > 0 ? tokens_per_second_ : speed()),
                       held_out_text());
  }

  std::string held_out_text() const {
    if (!last_watch_) return "";
    const auto& [step, watched] = *last_watch_;
    return "  " + held_out_words(watched.loss, watched.token_accuracy, step, state_.position.step);
  }

  // No more than training itself has room for.
  std::size_t rows_at_once() const {
    const std::size_t rows = share_.end - share_.begin;
    const auto parts = static_cast<std::size_t>(run_.training.accumulate);
    return std::max<std::size_t>(1, std::min<std::size_t>(512, rows / parts));
  }

  // Seldom enough that it takes a few percent of the time at most: a row that is only looked at
  // costs a third of one that is trained on.
  bool watch_due() const {
    constexpr std::int64_t kTrainedPerWatched = 20;
    const auto held_out = static_cast<std::int64_t>(run_.data.held_out.size());
    return !last_watch_step_ || (state_.position.step - *last_watch_step_) * run_.training.batch >=
                                    kTrainedPerWatched * held_out;
  }

  // The examples that are never trained on, without decoding.
  void watch(Metrics& metrics) {
    const TimeAside aside(*this);
    const auto in_use = state_.averaged();
    const HeldOut watched = held_out(run_.model, run_.objective, run_.data.held_out, run_.seed,
                                     run_.training.precision == "bf16", rows_at_once());
    last_watch_ = {state_.position.step, watched};
    last_watch_step_ = state_.position.step;
    metrics.emplace_back(kHeldOutLoss, watched.loss);
    metrics.emplace_back("held_out_token_accuracy", watched.token_accuracy);
  }

  // Measures what decides whether the checkpoint of this step is the best, unless that was done.
  void score_checkpoint() {
    if (run_.folder == nullptr || run_.data.held_out.size() == 0 ||
        !run_.training.best.starts_with("held_out") || last_watch_step_ == state_.position.step)
      return;
    Metrics metrics;
    watch(metrics);
    run_.folder->log(state_.position.step, metrics);
  }

  bool evaluation_due() const {
    const std::int64_t every = run_.training.evaluate_every;
    return every > 0 && state_.position.step % every == 0;
  }

  // An evaluation that fails (out of memory, say) must not take the steps since the last checkpoint
  // with it.
  void evaluate_or_save() {
    try {
      evaluate();
    } catch (...) {
      checkpoint();
      throw;
    }
  }

  // Whether it came to an end. The other processes meanwhile wait in their next step.
  bool evaluate() {
    if (run_.folder == nullptr) return true;
    const TimeAside aside(*this);
    const std::int64_t step = state_.position.step;
    Metrics metrics;
    try {
      const auto in_use = state_.averaged();
      if (run_.on_evaluate) metrics = run_.on_evaluate(step);
    } catch (const Interrupted&) {
      return false;  // the loop sees it too
    }
    if (metrics.empty()) return true;
    metrics.emplace_back(kEvaluationSeconds, aside.seconds());
    record(metrics);
    std::string line = fmt::format("step {}:", step);
    for (const auto& [name, value] : metrics) line += fmt::format("  {} {:.4f}", name, value);
    status_.keep(line);
    return true;
  }

  bool checkpoint_due() const {
    if (run_.training.best.starts_with("accuracy") && evaluation_due()) return true;
    const std::int64_t every = run_.training.checkpoint_every;
    if (every > 0) return state_.position.step % every == 0;
    const double minutes = run_.training.checkpoint_minutes;
    return minutes > 0 &&
           Clock::now() - last_checkpoint_ > std::chrono::duration<double>(60 * minutes);
  }

  std::filesystem::path checkpoint() {
    if (run_.folder == nullptr) return {};
    const TimeAside aside(*this);
    // Losses are looked at now and then only, and a checkpoint of NaN would push out a good one.
    if (const double loss = step_.loss(); !std::isfinite(loss)) throw diverged(loss);
    if (!state_.finite()) throw diverged("some weights or their averages are no longer numbers");
    last_checkpoint_ = Clock::now();
    return run_.folder->write_checkpoint(
        state_.position.step, run_.training.keep, [&](const std::filesystem::path& folder) {
          state_.write(folder, run_.data.vocabulary, run_.about, tensor_files());
        });
  }

  nn::TensorFiles tensor_files() const {
    nn::TensorFiles files{.compact = run_.training.compact_state};
    if (run_.training.shard_mb > 0)
      files.max_shard_bytes = static_cast<std::uint64_t>(run_.training.shard_mb * 1e6);
    return files;
  }

  Error diverged(double loss) const {
    return diverged(std::isnan(loss) ? "the loss is not a number" : "the loss is infinite");
  }

  Error diverged(const std::string& how) const {
    const auto good = run_.folder == nullptr ? std::nullopt : run_.folder->newest_checkpoint();
    return Error(
        fmt::format("training has diverged: at step {} {}", state_.position.step, how),
        good ? fmt::format("numbers; the last good checkpoint is {}", good->string()) : "numbers",
        "a smaller optimizer.lr, more optimizer.warmup_steps, or optimizer.clip=1");
  }

  std::string memory_need() const {
    return fmt::format(
        "a step with training.batch = {} in {} part(s){} on {}", run_.training.batch,
        run_.training.accumulate,
        run_.group.size() > 1 ? fmt::format(" and {} processes", run_.group.size()) : "",
        run_.model.device().str());
  }

  void restore() {
    if (const auto passed_over = run_.folder->newer_incomplete_checkpoint())
      status_.keep(fmt::format("{} has no {}: it is incomplete, and passed over",
                               passed_over->string(), model_files::kCheckpointDone));
    const auto newest = run_.folder->newest_checkpoint();
    if (newest && !is_there(*newest / formats::kChecksumsFile))
      status_.keep(fmt::format("{} has no {}: damage to its files cannot be noticed",
                               newest->string(), formats::kChecksumsFile));
    if (!newest)
      status_.keep("nothing was saved: the run begins again");
    else if (read(*newest) == TrainingState::Restored::kExactly)
      status_.keep(fmt::format("going on from {}", newest->string()));
    else
      status_.keep(
          fmt::format("{} is compact: training goes on close to where it was, not bit for bit",
                      newest->string()));
    run_.folder->rewind(state_.position.step);
    last_watch_step_ = run_.folder->last_step_with(kHeldOutLoss);
  }

  TrainingState::Restored read(const std::filesystem::path& checkpoint) {
    return attempt(
        [&] { return state_.read(checkpoint); },
        [&](const Error& error) -> TrainingState::Restored {
          const std::string older = fmt::format(
              "move {} away: --resume then goes on from what was saved before it, if anything",
              checkpoint.string());
          throw Error(error.seen(), error.expected(),
                      error.hint().empty() ? older : error.hint() + "; or " + older);
        });
  }

  // While it lives, time is spent beside training: it does not count in tokens per second. The
  // steps that the device still has to do are training.
  class TimeAside {
   public:
    explicit TimeAside(Loop& loop) : loop_(loop) {
      compat::synchronize(loop.run_.model.device());
      began_ = loop.seconds();
    }
    ~TimeAside() { loop_.last_log_.seconds += seconds(); }
    double seconds() const { return loop_.seconds() - began_; }
    TimeAside(const TimeAside&) = delete;
    TimeAside& operator=(const TimeAside&) = delete;

   private:
    Loop& loop_;
    double began_ = 0;
  };

  const TrainingRun& run_;
  const data::Share share_;
  const Budget budget_;
  TrainingState state_;
  TrainingStep step_;
  StatusLine status_;
  Position last_log_;
  Clock::time_point started_, last_checkpoint_;
  double factor_ = 0;  // of the learning rates, in the last step
  struct Watched {
    std::int64_t step;
    HeldOut result;
  };
  std::optional<Watched> last_watch_;            // of this sitting
  std::optional<std::int64_t> last_watch_step_;  // of this sitting or an earlier one
  double tokens_per_second_ = 0;                 // in the last line of metrics
  std::string loss_text_;
  bool stopped_ = false;  // by the caller
};

}  // namespace

data::Share share_of(const TrainingSettings& settings, const distributed::ProcessGroup& group) {
  if (settings.batch < group.size())
    throw UsageError(
        fmt::format("training.batch = {} for {} processes", settings.batch, group.size()),
        "at least one example for each");
  return data::share_of(static_cast<std::size_t>(settings.batch),
                        static_cast<std::size_t>(group.rank()),
                        static_cast<std::size_t>(group.size()));
}

std::filesystem::path train(const TrainingRun& run) { return Loop(run).go(); }

}  // namespace mgdm::training
