#include "tasks/text/verifier.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::tasks::text {
namespace {

std::string question(const Example& example, std::string_view answer) {
  nlohmann::ordered_json line{{"input", example.input}, {"answer", answer}};
  if (!example.output.empty()) line["label"] = example.output;
  return formats::json_text(line);
}

// Returns none unless the reply is an object with a score from 0 to 1.
std::optional<Judgement> judgement_in(const std::string& reply) {
  const nlohmann::json object = formats::parse_json(reply);
  if (!object.is_object()) return std::nullopt;
  const auto score = object.find("score"), why = object.find("why");
  if (score == object.end() || !score->is_number()) return std::nullopt;
  const double value = score->get<double>();
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  return Judgement{value, why != object.end() && why->is_string() ? why->get<std::string>() : ""};
}

}  // namespace

Verifier::Verifier(std::string command, double patience)
    : command_(std::move(command)), patience_(patience) {
  if (trim(command_).empty()) throw UsageError("an empty verifier", "a command");
  idle_.push_back(std::make_unique<LineProcess>(command_));
  constexpr int kSoon = 50;  // milliseconds, in which a shell says that there is no such program
  if (idle_.back()->ends_within(kSoon))
    throw Error(fmt::format("the verifier {} ends at once", in_quotes(command_)),
                "a command that reads JSON lines and answers each with a line");
}

std::unique_ptr<LineProcess> Verifier::idle_or_new() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto process = std::move(idle_.back());
      idle_.pop_back();
      return process;
    }
  }
  return std::make_unique<LineProcess>(command_);
}

void Verifier::give_up(const std::optional<std::string>& reply) const {
  const std::lock_guard lock(mutex_);
  if (std::exchange(failed_, true)) return;
  const std::string why =
      reply ? fmt::format("answered {} instead of {{\"score\": 0 to 1}}", in_quotes(*reply, 200))
            : fmt::format("ended, or gave no answer for {} s", patience_);
  say("the verifier {} {}, started again, too{}; answers from here on are not checked\n",
      in_quotes(command_), why,
      last_reply_.empty() || reply ? "" : ", after the line " + in_quotes(last_reply_, 200));
}

std::optional<Judgement> Verifier::judge(const Example& example, std::string_view answer) const {
  const std::string line = question(example, answer);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(line); found != known_.end()) return found->second;
    if (failed_) return std::nullopt;
  }
  std::optional<std::string> reply;
  for (bool restarted : {false, true}) {
    auto process = restarted ? std::make_unique<LineProcess>(command_) : idle_or_new();
    reply = process->ask(line, patience_);
    const auto judged = reply ? judgement_in(*reply) : std::nullopt;
    if (!judged) continue;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(process));
    constexpr std::size_t kMostKnown = 1 << 12;
    if (known_.size() >= kMostKnown) known_.clear();
    known_.emplace(line, *judged);
    last_reply_ = *std::move(reply);
    return judged;
  }
  give_up(reply);
  return std::nullopt;
}

}  // namespace mgdm::tasks::text
