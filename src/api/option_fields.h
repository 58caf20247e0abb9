// Reads options of the public interface by their lists of fields (config/settings.h).
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"
#include "config/settings.h"

namespace mgdm::api {

// "steps=10 noise=0": assignments with spaces between them. UsageError as config::Fields has it.
inline void set_all(config::Fields& fields, std::string_view text) {
  for (const std::string_view word : split(text, ' '))
    if (!trim(word).empty()) fields.set(word);
}

// UsageError when a value is not one that its field allows.
inline void check_all(config::Fields& fields) {
  for (const config::Field& field : fields.all()) fields.set(field.key + "=" + field.value());
}

}  // namespace mgdm::api
