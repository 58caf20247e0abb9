#include "api/options.h"

#include <fmt/format.h>

#include <limits>

#include "api/option_fields.h"
#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "inference/load_network.h"

namespace mgdm::api {
namespace {

struct LoadSettings {
  inference::ComputeSettings compute;
  std::int64_t batch = 64;

  void visit(config::Visitor& v) {
    compute.visit(v);
    v.field("batch", batch, "puzzles decoded at the same time", config::range(1, 1 << 20));
  }
};

struct GenerateSettings {
  std::int64_t seed = 0;
  std::string split;
  std::int64_t first = 0, threads = 0;
  tasks::Options task;

  void visit(config::Visitor& v) {
    v.field("seed", seed, "another seed makes other puzzles", config::at_least(0));
    v.field("split", split, "which list", config::one_of({"train", "test"}));
    v.field("first", first, "the first puzzle's number in the list",
            config::range(0, std::numeric_limits<std::uint32_t>::max()));
    v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
    task.visit(v);
  }
};

// Seeds of 64 bits have no room here; all of them are allowed.
GenerateSettings settings_of(const GenerateOptions& options) {
  GenerateSettings settings{0, options.split, options.first, options.threads, {}};
  config::Fields task(settings.task);
  set_all(task, options.task_options);
  return settings;
}

using decoding::DecodingSettings;

// visit(name, option, setting) for every member that both have.
template <class Options, class Settings, class Visit>
void for_each_member(Options& options, Settings& settings, Visit&& visit) {
  visit("steps", options.steps, settings.steps);
  visit("order", options.order, settings.order);
  visit("schedule", options.schedule, settings.schedule);
  visit("revise", options.revise, settings.revise);
  visit("noise", options.noise, settings.noise);
  visit("temperature", options.temperature, settings.temperature);
  visit("threshold", options.threshold, settings.threshold);
  visit("entropy_bound", options.entropy_bound, settings.entropy_bound);
  visit("early_stop", options.early_stop, settings.early_stop);
  visit("loops", options.loops, settings.loops);
  visit("symmetries", options.symmetries, settings.symmetries);
  visit("tries", options.tries, settings.tries);
  visit("seed", options.seed, settings.seed);
}

// What a text may say.
struct TextSettings {
  DecodingSettings decoding;
  std::int64_t first = 0;

  void visit(config::Visitor& v) {
    decoding.visit(v);
    v.field("first", first, "the number of the first puzzle",
            config::range(0, std::numeric_limits<std::uint32_t>::max()));
  }
};

}  // namespace

void check(const LoadOptions& options) {
  LoadSettings settings{
      {options.device, options.threads, options.arithmetic, options.deterministic},
      static_cast<std::int64_t>(options.batch)};
  config::Fields fields(settings);
  check_all(fields);
}

LoadOptions load_options(std::string_view text, const std::string& models) {
  LoadSettings settings;
  config::Fields fields(settings);
  set_all(fields, text);
  // All members are named, because the default of `models` is for the compilers of our users.
  const inference::ComputeSettings& compute = settings.compute;
  return {compute.device,
          static_cast<int>(compute.threads),
          static_cast<std::size_t>(settings.batch),
          models,
          compute.arithmetic,
          compute.deterministic};
}

tasks::Options checked(const GenerateOptions& options) {
  GenerateSettings settings = settings_of(options);
  config::Fields fields(settings);
  check_all(fields);
  return settings.task;
}

GenerateOptions generate_options(std::string_view text) {
  GenerateSettings settings = settings_of({});
  config::Fields fields(settings);
  set_all(fields, text);
  return {static_cast<std::uint64_t>(settings.seed), settings.split,
          static_cast<std::uint32_t>(settings.first), static_cast<int>(settings.threads),
          joined_by(settings.task.chosen(), " ")};
}

DecodingSettings over(const inference::LoadedModel& model, const DecodingOptions& options) {
  DecodingSettings settings = model.card().decoding;
  for_each_member(options, settings, [](const char*, const auto& option, auto& setting) {
    if (option) setting = *option;
  });
  config::Fields fields(settings);
  check_all(fields);
  for_each_member(options, settings, [&](const char* name, const auto& option, const auto&) {
    if (!option) return;
    if (const auto missing = model.missing_for(name, settings))
      throw UsageError(fmt::format("{} changes nothing with this model and these options", name),
                       *missing);
  });
  return settings;
}

DecodingOptions own_options(const inference::LoadedModel& model) {
  const DecodingSettings& settings = model.card().decoding;
  DecodingOptions options;
  for_each_member(options, settings, [&](const char* name, auto& option, const auto& setting) {
    if (!model.missing_for(name, settings)) option = setting;
  });
  return options;
}

DecodingOptions decoding_options(std::string_view text) {
  TextSettings said;
  config::Fields fields(said);
  set_all(fields, text);
  DecodingOptions options;
  options.first = static_cast<std::uint32_t>(said.first);
  for_each_member(options, said.decoding, [&](const char* name, auto& option, const auto& setting) {
    for (const std::string_view word : split(text, ' '))
      if (trim(word.substr(0, word.find('='))) == name) option = setting;
  });
  return options;
}

std::string as_text(const DecodingOptions& options) {
  std::string text;
  const DecodingSettings unused;
  for_each_member(options, unused, [&](const char* name, const auto& option, const auto&) {
    if (option) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, *option);
  });
  return text;
}

}  // namespace mgdm::api
