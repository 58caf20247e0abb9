#include "cli/decoding_flags.h"

#include <algorithm>

namespace mgdm::cli {

spec::DecodingSettings DecodingFlags::over(const spec::DecodingSettings& of_model) const {
  DecodingFlags asked = *this, chosen{of_model, {}};
  config::Fields fields(chosen);
  for (const config::Field& field : config::Fields(asked).all())
    if (std::find(given.begin(), given.end(), field.key) != given.end())
      fields.set(field.key + "=" + field.value());
  return chosen.settings;
}

std::vector<std::string> decoding_keys() {
  DecodingFlags flags;
  std::vector<std::string> keys;
  for (const config::Field& field : config::Fields(flags).all()) keys.push_back(field.key);
  return keys;
}

}  // namespace mgdm::cli
