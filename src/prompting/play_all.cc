#include "prompting/play_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::prompting {
namespace {

using LineJson = nlohmann::ordered_json;

std::string text_of(const LineJson& value) {
  return value.is_string() ? value.get<std::string>() : formats::json_text(value);
}

// An Error when the file's first line names other settings: "model = b, was a".
void expect_same_run(const std::string& path, const RunFacts& facts) {
  LineReader lines(path, Reading::kFile);
  std::string_view first;
  if (!lines.next(first)) return;
  const LineJson line = formats::parse_ordered_json(first);
  if (!line.is_object() || !line.contains("run") || !line["run"].is_object())
    throw Error(fmt::format("{} has no results of mgdm prompt", path), "", "another --out");
  const LineJson& was = line["run"];
  std::string changes;
  for (const auto& [name, value] : facts)
    if (!was.contains(name) || was[name] != value)
      changes += fmt::format("{}{} = {}, was {}", changes.empty() ? "" : "; ", name, value,
                             was.contains(name) ? text_of(was[name]) : "nothing");
  if (!changes.empty())
    throw Error(fmt::format("{} has the results of another run: {}", path, changes), "",
                "another --out");
}

// Asks no more once somebody has failed.
class Stoppable : public ChatModel {
 public:
  Stoppable(ChatModel& model, const std::atomic<bool>& stopped)
      : model_(model), stopped_(stopped) {}

  ChatReply ask(const ChatRequest& request) override {
    stop_if_interrupted();
    if (stopped_) throw Interrupted("stopped");
    return model_.ask(request);
  }

 private:
  ChatModel& model_;
  const std::atomic<bool>& stopped_;
};

// After so many refused puzzles and no answered one, the puzzles are not to blame.
constexpr std::size_t kHopeless = 5;

}  // namespace

ResultsFile::ResultsFile(std::string path, const RunFacts& facts) : path_(std::move(path)) {
  if (is_there(path_)) expect_same_run(path_, facts);
  file_.open(path_, std::ios::trunc);
  LineJson run = LineJson::object();
  for (const auto& [name, value] : facts) run[name] = value;
  write(formats::json_text(LineJson{{"run", run}}));
}

void ResultsFile::add(std::size_t item, const std::string& input, const Outcome& outcome) {
  LineJson json{{"item", item},
                {"input", input},
                {"right", outcome.right},
                {"any", outcome.any},
                {"answers", outcome.answers},
                {"requests", outcome.usage.requests},
                {"prompt_tokens", outcome.usage.prompt_tokens},
                {"generated_tokens", outcome.usage.generated_tokens}};
  if (outcome.usage.uncounted > 0) json["uncounted_requests"] = outcome.usage.uncounted;
  write(formats::json_text(json));
}

void ResultsFile::write(const std::string& line) {
  errno = 0;
  file_ << line << '\n';
  if (!file_.flush()) throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

Error Refusals::error(std::size_t all) const {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> shown(puzzles.begin(),
                                 puzzles.begin() + std::min(kShown, puzzles.size()));
  if (puzzles.size() > kShown) shown.push_back(fmt::format("and {} more", puzzles.size() - kShown));
  return Error(fmt::format("the endpoint refused {} of {} puzzles: {} ({})", puzzles.size(), all,
                           joined_by(shown, "; "), reason),
               "", "other settings (--max-tokens, --temperature) with another --out");
}

std::vector<Outcome> play_all(
    ChatModel& model, const std::vector<std::string>& inputs, const MethodSettings& settings,
    std::int64_t parallel, Refusals& refusals,
    const std::function<void(std::size_t item, const Outcome&)>& on_outcome) {
  std::vector<std::optional<Outcome>> outcomes(inputs.size());
  std::atomic<bool> stopped = false;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards what is below, and on_outcome
  std::exception_ptr failure;
  std::size_t answered = 0;
  std::vector<std::size_t> refused;
  Stoppable stoppable(model, stopped);
  const auto work = [&](std::size_t) {
    try {
      while (!stopped) {
        stop_if_interrupted();
        const std::size_t item = next++;
        if (item >= inputs.size()) return;
        try {
          outcomes[item] = play(stoppable, parse_game24(inputs[item]), settings);
        } catch (const Refused& error) {
          const std::lock_guard lock(mutex);
          if (refused.empty()) refusals.reason = error.seen();
          refused.push_back(item);
          if (answered == 0 && refused.size() >= kHopeless) stopped = true;
          continue;
        }
        const std::lock_guard lock(mutex);
        ++answered;
        if (on_outcome) on_outcome(item, *outcomes[item]);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!stopped.exchange(true)) failure = std::current_exception();
    }
  };
  // The threads end before the condition is known. Without any, this one does the work.
  if (start_threads(std::min(static_cast<std::size_t>(parallel), inputs.size()), work).empty())
    work(0);
  std::sort(refused.begin(), refused.end());
  for (const std::size_t item : refused) refusals.puzzles.push_back(inputs[item]);
  if (failure) std::rethrow_exception(failure);
  if (stopped) throw refusals.error(inputs.size());
  std::vector<Outcome> known;
  for (std::optional<Outcome>& outcome : outcomes)
    if (outcome) known.push_back(*std::move(outcome));
  return known;
}

Summary summarize(const std::vector<Outcome>& outcomes) {
  Summary sum;
  sum.n = outcomes.size();
  if (outcomes.empty()) return sum;
  const auto n = static_cast<double>(outcomes.size());
  double right = 0, squares = 0, any = 0;
  Usage usage;
  for (const Outcome& outcome : outcomes) {
    right += outcome.right;
    squares += outcome.right * outcome.right;
    any += outcome.any ? 1 : 0;
    usage.add(outcome.usage);
  }
  sum.accuracy = right / n;
  sum.any = any / n;
  squares /= n;
  sum.standard_error = std::sqrt(std::max(0.0, squares - sum.accuracy * sum.accuracy) / n);
  sum.requests = static_cast<double>(usage.requests) / n;
  sum.prompt_tokens = static_cast<double>(usage.prompt_tokens) / n;
  sum.generated_tokens = static_cast<double>(usage.generated_tokens) / n;
  sum.uncounted = usage.uncounted;
  return sum;
}

}  // namespace mgdm::prompting
