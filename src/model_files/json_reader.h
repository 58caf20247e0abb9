// A JSON document of a model's folder, asked for what must be there, with the name of its file in
// every message.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::model_files {

class JsonReader {
 public:
  using json = nlohmann::ordered_json;

  // Both must outlive this.
  JsonReader(const json& document, const std::string& source)
      : document_(document), source_(source) {}

  std::int64_t size(const char* key, std::int64_t high) const {
    const json& value = at(key);
    if (!value.is_number_integer() || value < 1 || value > high)
      throw wrong(key, fmt::format("an integer, 1 to {}", high));
    return value.get<std::int64_t>();
  }

  double number(const char* key, double otherwise, double low, double high) const {
    const auto found = document_.find(key);
    if (found == document_.end() || found->is_null()) return otherwise;
    if (!found->is_number() || *found < low || *found > high)
      throw wrong(key, fmt::format("a number, {} to {}", low, high));
    return found->get<double>();
  }

  // Absent means the default of transformers, which is the one we compute.
  void must_be(const char* key, const std::vector<json>& allowed) const {
    const auto found = document_.find(key);
    if (found == document_.end()) return;
    std::vector<std::string> texts;
    for (const json& value : allowed) {
      if (*found == value) return;
      texts.push_back(formats::json_text(value));
    }
    throw wrong(key, joined_or(texts));
  }

  const json& at(const char* key) const {
    const auto found = document_.find(key);
    if (found == document_.end())
      throw Error(fmt::format("{}: no {}", source_, key),
                  "the config.json of a GPT-2, a LLaMA or of mgdm");
    return *found;
  }

  Error wrong(const char* key, const std::string& expected) const {
    const json& value = at(key);
    return Error(fmt::format("{}: {} is {}", source_, key,
                             value.is_structured() ? value.type_name() : formats::json_text(value)),
                 expected);
  }

 private:
  const json& document_;
  const std::string& source_;
};

}  // namespace mgdm::model_files
