#include "cli/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::cli {
namespace {

// A flag's name among the settings of [decoding]: --decoding is its order.
std::string setting_of(const std::string& flag) { return flag == "decoding" ? "order" : flag; }

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

// "decoding.order=topk or margin" as flags; a requirement on the model in words.
std::string as_flags(const std::string& needs) {
  constexpr std::string_view kOrder = "decoding.order=", kKind = "objective.kind=",
                             kNetwork = "model.architecture=";
  if (needs.starts_with(kOrder)) return "--decoding " + needs.substr(kOrder.size());
  if (needs.starts_with(kKind)) return "a model trained by " + needs.substr(kKind.size());
  if (needs.starts_with(kNetwork)) return "a model that is " + needs.substr(kNetwork.size());
  return needs;
}

}  // namespace

decoding::DecodingSettings DecodingFlags::over(const inference::LoadedModel& model) const {
  DecodingFlags asked = *this, chosen{model.card().decoding, {}};
  config::Fields fields(chosen);
  const std::vector<config::Field> all = config::Fields(asked).all();
  for (const config::Field& field : all)
    if (contains(given, field.key)) fields.set(field.key + "=" + field.value());
  for (const config::Field& field : all)
    if (const auto missing = model.missing_for(setting_of(field.key), chosen.settings);
        missing && contains(given, field.key))
      throw UsageError(
          fmt::format("{} changes nothing with this model and these flags", flag_of(field.key)),
          as_flags(*missing));
  return chosen.settings;
}

std::vector<std::string> decoding_keys() {
  DecodingFlags flags;
  std::vector<std::string> keys;
  for (const config::Field& field : config::Fields(flags).all()) keys.push_back(field.key);
  return keys;
}

std::vector<config::Field> counting(std::vector<config::Field> fields,
                                    const inference::LoadedModel& model,
                                    const decoding::DecodingSettings& settings) {
  const std::vector<std::string> keys = decoding_keys();
  std::erase_if(fields, [&](const config::Field& field) {
    return contains(keys, field.key) && model.missing_for(setting_of(field.key), settings);
  });
  return fields;
}

}  // namespace mgdm::cli
