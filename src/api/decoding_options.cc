#include "api/decoding_options.h"

#include <fmt/format.h>

#include <limits>

#include "api/option_fields.h"
#include "base/error.h"

namespace mgdm::api {
namespace {

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
