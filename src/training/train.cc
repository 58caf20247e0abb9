#include "training/train.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "compat/device.h"
#include "data/batches.h"
#include "training/schedule.h"
#include "training/step.h"

namespace mgdm::training {
namespace {

using Clock = std::chrono::steady_clock;

// Where training stands: all that a checkpoint must hold beyond weights and optimiser state, since
// every draw is a function of the step.
struct Position {
  std::int64_t step = 0;
  double seconds = 0;  // spent training, over all sittings
};

// The line that tells a person how it goes: redrawn on a terminal, now and then elsewhere.
class Status {
 public:
  explicit Status(bool quiet) : quiet_(quiet) {}
  ~Status() {
    if (drawn_ && terminal_) fmt::print(stderr, "\n");
  }

  void show(const std::string& line, bool important) {
    const auto now = Clock::now();
    const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
    if (quiet_ || (!important && now - last_ < pause)) return;
    last_ = now;
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "", line, terminal_ ? "\x1b[K" : "\n");
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  const bool quiet_;
  const bool terminal_ = ::isatty(::fileno(stderr)) == 1;
  Clock::time_point last_ = Clock::now() - std::chrono::hours(1);
  bool drawn_ = false;
};

class Loop {
 public:
  explicit Loop(const TrainingRun& run)
      : run_(run),
        budget_(run.training, static_cast<std::int64_t>(run.data.train.size())),
        optimizer_(make_optimizer(run.optimizer, run.model.parameters().all())),
        step_(run.model, run.objective, *optimizer_, run.training, run.optimizer.clip, run.seed,
              run.data.train.layout().length()),
        status_(run.quiet) {
    if (run.resume) restore();
  }

  std::filesystem::path go() {
    data::Batches batches(run_.data.train, static_cast<std::size_t>(run_.training.batch), run_.seed,
                          static_cast<std::uint64_t>(position_.step),
                          std::max(1, static_cast<int>(run_.data.augment ? 2 : 1)),
                          run_.data.augment);
    started_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(position_.seconds));
    last_checkpoint_ = Clock::now();
    last_log_ = position_;
    while (budget_.fraction(position_.step, seconds()) < 1) {
      const double done = budget_.fraction(position_.step, seconds());
      step_.run(batches.next(), learning_rate_factor(run_.optimizer, position_.step, done));
      ++position_.step;
      position_.seconds = seconds();
      const bool last = budget_.fraction(position_.step, position_.seconds) >= 1;
      if (last || position_.step % run_.training.log_every == 0) log();
      const std::int64_t every = run_.training.evaluate_every;
      if (last || (every > 0 && position_.step % every == 0)) evaluate();
      if (interrupted()) {
        const auto saved = checkpoint();
        throw Interrupted(
            fmt::format("interrupted at step {}; saved {}", position_.step, saved.string()), "",
            "--resume continues from there");
      }
      if (!last && checkpoint_due()) checkpoint();
    }
    return checkpoint();
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  void log() {
    const double loss = step_.loss();  // waits for the device
    if (!std::isfinite(loss))
      throw Error(fmt::format("the loss at step {} is {}", position_.step, loss),
                  "a number; the last good checkpoint is kept",
                  "a smaller optimizer.lr, or optimizer.clip=1");
    position_.seconds = seconds();
    const double elapsed = position_.seconds - last_log_.seconds;
    const auto steps = static_cast<double>(position_.step - last_log_.step);
    const auto row = static_cast<double>(run_.data.train.layout().length());
    const double tokens_per_second =
        elapsed > 0 ? steps * static_cast<double>(run_.training.batch) * row / elapsed : 0;
    last_log_ = position_;
    const double done = budget_.fraction(position_.step, position_.seconds);
    const double epoch = static_cast<double>(position_.step) *
                         static_cast<double>(run_.training.batch) /
                         static_cast<double>(run_.data.train.size());
    run_.folder.log(position_.step,
                    {{"loss", loss},
                     {"gradient_norm", step_.gradient_norm()},
                     {"lr_factor", learning_rate_factor(run_.optimizer, position_.step - 1, done)},
                     {"epoch", epoch},
                     {"tokens_per_second", tokens_per_second},
                     {"seconds", position_.seconds}});
    const double left = done > 0 ? position_.seconds * (1 - done) / done : 0;
    status_.show(
        fmt::format("step {}{}  {:3.0f}%  loss {:.4f}{}  {} tokens/s  {} left", position_.step,
                    budget_.steps() > 0 ? fmt::format("/{}", budget_.steps()) : "", 100 * done,
                    loss, held_out_text_, format_count(tokens_per_second), format_duration(left)),
        done >= 1);
  }

  void evaluate() {
    Metrics metrics;
    if (run_.data.held_out.size() > 0) {
      const HeldOut watched = held_out(run_.model, run_.objective, run_.data.held_out, run_.seed,
                                       run_.training.precision == "bf16");
      held_out_text_ = fmt::format("  held-out {:.4f} ({:.1f}% of tokens)", watched.loss,
                                   100 * watched.token_accuracy);
      metrics.emplace_back("held_out_loss", watched.loss);
      metrics.emplace_back("held_out_token_accuracy", watched.token_accuracy);
    }
    if (run_.on_evaluate)
      for (const auto& metric : run_.on_evaluate(position_.step)) metrics.push_back(metric);
    run_.folder.log(position_.step, metrics);
    std::string line = fmt::format("step {}:", position_.step);
    for (const auto& [name, value] : metrics) line += fmt::format("  {} {:.4f}", name, value);
    status_.show(line, true);
  }

  bool checkpoint_due() const {
    const std::int64_t every = run_.training.checkpoint_every;
    if (every > 0) return position_.step % every == 0;
    const double minutes = run_.training.checkpoint_minutes;
    return minutes > 0 &&
           Clock::now() - last_checkpoint_ > std::chrono::duration<double>(60 * minutes);
  }

  std::filesystem::path checkpoint() {
    compat::synchronize(run_.model.device());
    last_checkpoint_ = Clock::now();
    return run_.folder.write_checkpoint(
        position_.step, run_.training.keep, [&](const std::filesystem::path& folder) {
          nn::write_model(folder, run_.model, run_.data.train.vocabulary(), run_.card);
          optimizer_->save(folder / "optimizer.safetensors");
          const nlohmann::json state{{"step", position_.step}, {"seconds", position_.seconds}};
          write_file((folder / "trainer_state.json").string(), state.dump(2) + "\n");
        });
  }

  void restore() {
    const auto newest = run_.folder.newest_checkpoint();
    if (!newest) return;  // interrupted before the first one: start again
    nn::load_weights(*newest, run_.model);
    optimizer_->load(*newest / "optimizer.safetensors");
    const auto state = nlohmann::json::parse(read_file(*newest / "trainer_state.json"));
    position_ = {state.at("step"), state.at("seconds")};
    run_.folder.rewind(position_.step);
  }

  const TrainingRun& run_;
  const Budget budget_;
  const std::unique_ptr<Optimizer> optimizer_;
  TrainingStep step_;
  Status status_;
  Position position_, last_log_;
  Clock::time_point started_, last_checkpoint_;
  std::string held_out_text_;
};

}  // namespace

std::filesystem::path train(const TrainingRun& run) { return Loop(run).go(); }

}  // namespace mgdm::training
