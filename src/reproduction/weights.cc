#include "reproduction/weights.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"

namespace mgdm::reproduction {
namespace {

// As they stand in the names of recipes.
const std::vector<std::string>& weights_names() {
  static const std::vector<std::string> kNames{"llama-7b", "llama-13b"};
  return kNames;
}

}  // namespace

std::string weights_of(const std::string& recipe) {
  for (const std::string& name : weights_names())
    if (recipe.find(name) != std::string::npos) return name;
  return "";
}

std::string missing_weights(const Context& context, const std::string& recipe) {
  const std::string name = weights_of(recipe);
  if (name.empty() || context.weights.contains(name)) return "";
  return fmt::format("needs the weights: --weights {}=DIR", name);
}

std::map<std::string, std::string> parse_weights(const std::vector<std::string>& words) {
  std::map<std::string, std::string> folders;
  for (const std::string& word : words) {
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    if (sign == std::string::npos || sign + 1 == word.size())
      throw UsageError(fmt::format("--weights {}", in_quotes(word)), "NAME=DIR: llama-7b=DIR");
    if (!contains(weights_names(), name))
      throw UsageError(
          fmt::format("--weights {}", in_quotes(word)),
          joined_or(weights_names()) + " before the =", did_you_mean(name, weights_names()));
    const std::string folder = word.substr(sign + 1);
    if (!is_there(std::filesystem::path(folder) / "config.json"))
      throw Error(fmt::format("--weights {}: there is no config.json in {}", name, folder),
                  "a model's folder as Hugging Face has them");
    if (!folders.emplace(name, folder).second)
      throw UsageError(fmt::format("--weights {} twice", name), "one folder for each");
  }
  return folders;
}

}  // namespace mgdm::reproduction
