#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "data/examples_file.h"
#include "evaluation/published_game24.h"
#include "evaluation/score_report.h"
#include "formats/markdown_table.h"
#include "prompting/http_chat.h"
#include "prompting/key.h"
#include "prompting/play_all.h"
#include "prompting/prompts.h"
#include "prompting/reply_cache.h"
#include "tasks/all_tasks.h"

namespace mgdm::cli {
namespace {

struct PromptSettings {
  std::string game, endpoint, data, out, cache = "runs/prompt-cache";
  std::string key_variable = "OPENAI_API_KEY";
  bool no_key = false, quiet = false;
  prompting::MethodSettings method;
  std::int64_t limit = 0, parallel = 4, tries = 6;
  double per_minute = 0, timeout = 120;
  prompting::Prices prices;

  void visit(config::Visitor& v) {
    v.field("game", game, "the game to play", config::one_of({"game24"}));
    v.field("endpoint", endpoint,
            "address of an OpenAI-compatible server: https://api.example.com/v1, "
            "http://127.0.0.1:8080");
    v.field("data", data, "a file of puzzles: JSONL, {\"input\": \"4,5,6,10,24\"} in every line");
    v.field("limit", limit, "use only the first N puzzles (0 = all)", config::at_least(0));
    method.visit(v);
    v.field("key_variable", key_variable, "environment variable that holds the API key");
    v.field("no_key", no_key, "send no API key, for a server of your own");
    v.field("parallel", parallel, "number of puzzles played at the same time",
            config::range(1, 256));
    v.field("per_minute", per_minute, "largest number of requests per minute (0 = no limit)",
            config::at_least(0));
    v.field("timeout", timeout, "seconds to wait for a reply", config::range(0.1, 3600));
    v.field("tries", tries, "largest number of attempts per request when the server fails",
            config::range(1, 100));
    v.field("prompt_price", prices.prompt, "price of a million prompt tokens in dollars",
            config::at_least(0));
    v.field("generated_price", prices.generated, "price of a million generated tokens in dollars",
            config::at_least(0));
    v.field("cache", cache, "folder that keeps all replies, so that none is paid for twice");
    v.field("out", out, "folder of results (default: one in runs/); an existing one is continued");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

std::vector<std::string> read_games(const PromptSettings& settings) {
  std::vector<std::string> inputs;
  for (const data::LocatedExample& game :
       data::read_examples(settings.data, *tasks::make_task("countdown-4"))) {
    if (settings.limit > 0 && inputs.size() == static_cast<std::size_t>(settings.limit)) break;
    with_location(settings.data, game.line,
                  [&] { return prompting::parse_game24(game.example.input); });
    inputs.push_back(game.example.input);
  }
  return inputs;
}

std::filesystem::path folder_of(const PromptSettings& settings) {
  std::string name = settings.out;
  if (name.empty()) {
    name = fmt::format("{}-{}-{}", settings.game, settings.method.method, settings.method.model);
    std::replace_if(
        name.begin(), name.end(),
        [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) <= ' '; }, '-');
    name = "runs/" + name;
  }
  make_folder(name);
  return name;
}

// All that decides the answers.
prompting::RunFacts facts_of(const PromptSettings& settings) {
  prompting::RunFacts facts{{"game", settings.game}, {"endpoint", settings.endpoint}};
  prompting::MethodSettings method = settings.method;
  for (const config::Field& field : config::Fields(method).all())
    facts.emplace_back(field.key, field.value());
  facts.emplace_back("prompts", prompting::prompts_version());
  facts.emplace_back("reading", prompting::kReading);
  return facts;
}

std::string tokens_text(const prompting::Summary& summary, double tokens) {
  if (!summary.tokens_known()) return "unknown";
  return fmt::format("{:.0f}{}", tokens, summary.uncounted > 0 ? " or more" : "");
}

void print_summary(const PromptSettings& settings, const prompting::Summary& summary) {
  using formats::Align;
  formats::MarkdownTable table({{"Game of 24"},
                                {"n", Align::kRight},
                                {"accuracy %", Align::kRight},
                                {"any %", Align::kRight},
                                {"prompt tokens", Align::kRight},
                                {"generated tokens", Align::kRight}});
  table.add_row(
      {fmt::format("{}, {}", settings.method.model, settings.method.method),
       std::to_string(summary.n),
       fmt::format("{:.1f} ± {:.1f}", 100 * summary.accuracy, 100 * summary.standard_error),
       fmt::format("{:.1f}", 100 * summary.any), tokens_text(summary, summary.prompt_tokens),
       tokens_text(summary, summary.generated_tokens)});
  for (const evaluation::PublishedGame24& row : evaluation::kPublishedGame24)
    if (row.method == settings.method.method)
      table.add_row(
          {fmt::format("paper: GPT-4 {}", row.name), "100", fmt::format("{:.1f}", row.accuracy), "",
           fmt::format("{:.0f}", row.prompt_tokens), fmt::format("{:.0f}", row.generated_tokens)});
  fmt::print("{}", printable(table.text(), "\n"));
}

void print_paid(const PromptSettings& settings, const prompting::CachedChat& chat,
                const prompting::HttpChat& endpoint) {
  const prompting::Usage wasted = endpoint.wasted();
  prompting::Usage all = chat.paid();
  all.add(wasted);
  std::string tokens = "whose tokens the endpoint does not tell";
  if (all.requests == 0 || all.uncounted < all.requests) {
    tokens = fmt::format("{} prompt tokens, {} generated tokens", all.prompt_tokens,
                         all.generated_tokens);
    if (settings.prices.known())
      tokens +=
          fmt::format(", ${:.4f}", settings.prices.of(static_cast<double>(all.prompt_tokens),
                                                      static_cast<double>(all.generated_tokens)));
    if (all.uncounted > 0)
      tokens += fmt::format(", and those of {} that the endpoint did not count", all.uncounted);
  }
  say("asked now: {} requests{}, {}; {} repeated\n", all.requests,
      wasted.requests > 0 ? fmt::format(" ({} of them without a reply)", wasted.requests) : "",
      tokens, endpoint.repeated());
  if (chat.lost() > 0)
    say("{} replies could not be written to {}\n", chat.lost(), printable(settings.cache));
  if (chat.silent() > 0)
    say("{} replies were empty: a model that thinks may need a larger --max-tokens (it is {})\n",
        chat.silent(),
        settings.method.max_tokens > 0 ? std::to_string(settings.method.max_tokens)
                                       : "0: as the endpoint has it");
}

void write_score(const PromptSettings& settings, const prompting::Summary& summary,
                 std::size_t refused, const std::filesystem::path& file) {
  nlohmann::ordered_json json{{"task", settings.game},          {"method", settings.method.method},
                              {"model", settings.method.model}, {"n", summary.n},
                              {"accuracy", summary.accuracy},   {"stderr", summary.standard_error},
                              {"accuracy_any", summary.any},    {"requests", summary.requests}};
  if (summary.tokens_known()) {
    json["prompt_tokens"] = summary.prompt_tokens;
    json["generated_tokens"] = summary.generated_tokens;
  }
  if (refused > 0) json["refused"] = refused;
  if (summary.uncounted > 0) json["uncounted_requests"] = summary.uncounted;
  if (summary.tokens_known() && settings.prices.known())
    json["dollars"] = settings.prices.of(summary.prompt_tokens, summary.generated_tokens);
  PromptSettings used = settings;
  write_file(file.string(), evaluation::result_text(json, config::Fields(used).all()));
}

// Asks `model`, unless there is no key: then the first request that is not in the cache is the
// error that says so. A run whose replies are all in the cache needs no key.
class WithKey : public prompting::ChatModel {
 public:
  WithKey(prompting::ChatModel& model, std::exception_ptr no_key)
      : model_(model), no_key_(std::move(no_key)) {}

  prompting::ChatReply ask(const prompting::ChatRequest& request) override {
    if (no_key_) std::rethrow_exception(no_key_);
    return model_.ask(request);
  }

 private:
  prompting::ChatModel& model_;
  std::exception_ptr no_key_;
};

void run_prompt(const PromptSettings& asked) {
  PromptSettings settings = asked;
  settings.method = prompting::resolved(settings.method);
  const prompting::Endpoint endpoint = prompting::parse_endpoint(settings.endpoint);
  settings.endpoint = endpoint.origin + endpoint.path;
  const std::vector<std::string> inputs = read_games(settings);
  const std::filesystem::path folder = folder_of(settings);
  prompting::ResultsFile results((folder / "results.jsonl").string(), facts_of(settings));
  std::string key;
  std::exception_ptr no_key;
  try {
    if (!settings.no_key) key = prompting::key_from(settings.key_variable);
  } catch (const Error&) {
    no_key = std::current_exception();
  }
  prompting::HttpChat chat(
      prompting::make_http(
          {.endpoint = endpoint,
           .key = key,
           .answer_seconds = settings.timeout,
           .most_bytes = 1'000'000 * static_cast<std::size_t>(settings.method.choices)}),
      settings.endpoint, key, {.tries = settings.tries}, settings.per_minute);
  const prompting::ReplyCache cache(settings.cache, settings.endpoint);
  WithKey with_key(chat, no_key);
  prompting::CachedChat cached(with_key, cache);
  std::vector<prompting::Outcome> outcomes;
  prompting::Refusals refusals;
  try {
    Progress progress("asking " + printable(settings.method.model), inputs.size(), settings.quiet);
    outcomes = prompting::play_all(cached, inputs, settings.method, settings.parallel, refusals,
                                   [&](std::size_t item, const prompting::Outcome& outcome) {
                                     results.add(item, inputs[item], outcome);
                                     progress.add(1);
                                   });
  } catch (const Error& error) {
    // Also when it is quiet: this is about money.
    print_paid(settings, cached, chat);
    if (const Error refused = refusals.error(inputs.size());
        !refusals.puzzles.empty() && refused.seen() != error.seen())
      say("{}\n", printable(refused.seen()));
    if (cached.paid().requests > cached.lost())
      say("every {}reply that came is in {}; the same command goes on from there\n",
          cached.lost() > 0 ? "other " : "", printable(settings.cache));
    throw;
  }
  const bool complete = refusals.puzzles.empty();
  const prompting::Summary summary = prompting::summarize(outcomes);
  if (summary.n > 0 || complete)
    write_score(settings, summary, refusals.puzzles.size(), folder / "score.json");
  if (!settings.quiet && summary.n > 0) print_summary(settings, summary);
  if (!settings.quiet || !complete) print_paid(settings, cached, chat);
  if (!complete) throw refusals.error(inputs.size());
}

}  // namespace

Command prompt_command() {
  return make_command<PromptSettings>(
      "prompt", "Ask a large language model to play Game of 24: IO, CoT, CoT-SC, Tree of Thoughts",
      "  OPENAI_API_KEY=... mgdm prompt game24 --endpoint https://api.example.com/v1 --model NAME "
      "--method tot --data game24.jsonl\n"
      "  mgdm prompt game24 --endpoint http://127.0.0.1:8080 --no-key --model llama --method io "
      "--data game24.jsonl --limit 5\n"
      "  mgdm prompt game24 --endpoint https://api.example.com/v1 --model NAME --method cot-sc "
      "--choices 20 --data game24.jsonl --prompt-price 2.5 --generated-price 10\n",
      {"game"}, {"game", "endpoint", "model", "data"}, run_prompt);
}

}  // namespace mgdm::cli
