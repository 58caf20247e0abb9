#include "prompting/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "prompting/prompts.h"

namespace mgdm::prompting {
namespace {

std::string line_of(const Step& step) {
  return fmt::format("{} (left: {})", step.equation, joined_by(step.left, " "));
}

// All thoughts one step further, without repetitions.
std::vector<Thought> grown(Thinker& thinker, const std::vector<Thought>& thoughts) {
  std::vector<Thought> further;
  std::set<std::vector<std::string>> seen;
  for (const Thought& thought : thoughts)
    for (Step& step : thinker.propose(thought.left)) {
      Thought next{thought.steps, {}, 0};
      next.steps.push_back(line_of(step));
      next.left = std::move(step.left);
      if (seen.insert(next.steps).second) further.push_back(std::move(next));
    }
  return further;
}

// A model, and what was asked of it.
class Asker {
 public:
  Asker(ChatModel& model, const MethodSettings& settings) : model_(model), settings_(settings) {}

  // `count` texts for one prompt, as many at once as the settings say.
  std::vector<std::string> texts(const std::string& prompt, std::int64_t count) {
    std::vector<std::string> all;
    for (std::int64_t have = 0; have < count; have = static_cast<std::int64_t>(all.size())) {
      ChatReply reply = model_.ask({.model = settings_.model,
                                    .prompt = prompt,
                                    .temperature = settings_.temperature,
                                    .max_tokens = settings_.max_tokens,
                                    .choices = std::min(settings_.choices, count - have),
                                    .sample = have});
      usage_.add(reply.usage);
      MGDM_CHECK(!reply.texts.empty());
      for (std::string& text : reply.texts) all.push_back(std::move(text));
    }
    all.resize(static_cast<std::size_t>(count));  // an endpoint may give more than was asked for
    return all;
  }

  const Usage& usage() const { return usage_; }

 private:
  ChatModel& model_;
  const MethodSettings& settings_;
  Usage usage_;
};

std::vector<std::string> answers_of(const std::vector<std::string>& replies) {
  std::vector<std::string> answers;
  for (const std::string& reply : replies) answers.push_back(answer_of(reply).value_or(""));
  return answers;
}

// The distinct answers, those that were given most often first, of equal ones the earlier. Replies
// without an expression have no vote.
std::vector<std::string> by_votes(const std::vector<std::string>& answers) {
  std::vector<std::pair<std::string, int>> counted;
  for (const std::string& answer : answers) {
    if (!is_expression(answer)) continue;
    const auto same = std::ranges::find_if(
        counted, [&](const auto& each) { return compact(each.first) == compact(answer); });
    if (same == counted.end())
      counted.emplace_back(answer, 1);
    else
      ++same->second;
  }
  std::stable_sort(counted.begin(), counted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> sorted;
  for (auto& [answer, votes] : counted) sorted.push_back(std::move(answer));
  return sorted;
}

// The votes of `replies` added up.
double voted(const std::vector<std::string>& replies) {
  double value = 0;
  for (const std::string& reply : replies) value += value_of(reply).value_or(0);
  return value;
}

class ModelThinker : public Thinker {
 public:
  ModelThinker(Asker& asker, const MethodSettings& settings) : asker_(asker), settings_(settings) {}

  std::vector<Step> propose(const std::vector<std::string>& numbers) override {
    return steps_of(asker_.texts(propose_prompt(numbers), 1).front(), numbers.size() - 1);
  }

  double value(const std::vector<std::string>& numbers) override {
    const auto [place, is_new] = values_.try_emplace(numbers, 0);
    if (is_new) place->second = voted(asker_.texts(value_prompt(numbers), settings_.votes));
    return place->second;
  }

 private:
  Asker& asker_;
  const MethodSettings& settings_;
  std::map<std::vector<std::string>, double> values_;  // the same numbers are valued once
};

// Answers from the thoughts that claim to have reached 24, the best judged first.
std::vector<std::string> answers_by_tree(Asker& asker, const Game24& game,
                                         const MethodSettings& settings) {
  std::vector<std::string> numbers;
  for (const std::int64_t number : game.numbers) numbers.push_back(std::to_string(number));
  ModelThinker thinker(asker, settings);
  std::vector<std::pair<double, std::string>> judged;
  for (const Thought& thought :
       search_thoughts(thinker, numbers, static_cast<std::size_t>(settings.beam))) {
    if (thought.left != std::vector<std::string>{std::to_string(kGoal)}) continue;
    const auto answer = answer_of(asker.texts(answer_prompt(game, thought.steps), 1).front());
    if (!answer || !is_expression(*answer)) continue;
    judged.emplace_back(voted(asker.texts(judge_prompt(game, *answer), settings.votes)), *answer);
  }
  std::stable_sort(judged.begin(), judged.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> answers;
  for (auto& [value, answer] : judged) answers.push_back(std::move(answer));
  return answers;
}

}  // namespace

std::vector<Thought> search_thoughts(Thinker& thinker, std::vector<std::string> numbers,
                                     std::size_t beam) {
  const std::size_t depth = numbers.size() - 1;
  std::vector<Thought> thoughts{{{}, std::move(numbers), 0}};
  for (std::size_t step = 0; step < depth && !thoughts.empty(); ++step) {
    thoughts = grown(thinker, thoughts);
    for (Thought& thought : thoughts) thought.value = thinker.value(thought.left);
    std::stable_sort(thoughts.begin(), thoughts.end(),
                     [](const Thought& a, const Thought& b) { return a.value > b.value; });
    thoughts.resize(std::min(thoughts.size(), beam));
  }
  return thoughts;
}

void MethodSettings::visit(config::Visitor& v) {
  v.field("method", method, "how the model is asked",
          config::one_of({"io", "cot", "cot-sc", "tot"}));
  v.field("model", model, "the name of the model, as the endpoint knows it");
  v.field("samples", samples,
          "io, cot: answers to each puzzle, of which the mean counts (0 = 1); cot-sc: of which the "
          "most frequent counts (0 = 100)",
          config::range(0, 10000));
  v.field("beam", beam, "tot: thoughts kept after each step", config::range(1, 100));
  v.field("votes", votes, "tot: how often each thought is valued", config::range(1, 100));
  v.field("temperature", temperature, "of the model's draws; -1 leaves it to the endpoint",
          config::range(-1, 5));
  v.field("max_tokens", max_tokens, "the longest reply; 0 leaves it to the endpoint",
          config::range(0, 1e6));
  v.field(
      "choices", choices,
      "texts asked for in one request (the field n), where the endpoint can do that: the prompt "
      "is then paid for once",
      config::range(1, 1000));
}

MethodSettings resolved(MethodSettings settings) {
  const MethodSettings defaults;
  const bool tree = settings.method == "tot";
  const auto refuse = [&](const char* flag) {
    throw UsageError(fmt::format("{} changes nothing with --method {}", flag, settings.method));
  };
  if (tree && settings.samples != defaults.samples) refuse("--samples");
  if (!tree && settings.beam != defaults.beam) refuse("--beam");
  if (!tree && settings.votes != defaults.votes) refuse("--votes");
  if (settings.samples == 0) settings.samples = settings.method == "cot-sc" ? 100 : 1;
  return settings;
}

Outcome play(ChatModel& model, const Game24& game, const MethodSettings& settings) {
  Asker asker(model, settings);
  Outcome outcome;
  if (settings.method == "tot")
    outcome.answers = answers_by_tree(asker, game, settings);
  else
    outcome.answers = answers_of(asker.texts(
        settings.method == "io" ? io_prompt(game) : cot_prompt(game), settings.samples));
  if (settings.method == "cot-sc") outcome.answers = by_votes(outcome.answers);

  const auto right = [&](const std::string& answer) { return makes_24(game, answer); };
  const auto count = std::ranges::count_if(outcome.answers, right);
  outcome.any = count > 0;
  if (settings.method == "io" || settings.method == "cot")
    outcome.right = static_cast<double>(count) / static_cast<double>(outcome.answers.size());
  else
    outcome.right = !outcome.answers.empty() && right(outcome.answers.front()) ? 1 : 0;
  outcome.usage = asker.usage();
  return outcome;
}

}  // namespace mgdm::prompting
