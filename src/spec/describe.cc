#include "spec/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/text.h"
#include "formats/markdown_table.h"
#include "formats/safetensors_folder.h"
#include "spec/adapter.h"
#include "spec/checkpoint_config.h"
#include "spec/kinds.h"

namespace mgdm::spec {
namespace {

using formats::Align;
using formats::MarkdownTable;

std::int64_t count(const formats::TensorView& tensor) {
  return static_cast<std::int64_t>(tensor.bytes.size() / formats::size_of(tensor.dtype));
}

// 5352192 -> "5,352,192".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string settings_table(ModelSettings settings) {
  MarkdownTable table({{"setting"}, {"value"}, {"meaning"}});
  const config::Fields fields(settings);
  const bool llama = architecture_kind(settings.architecture).family == Family::kLlama;
  for (const config::Field& field : fields.all()) {
    if (!llama && field.key.find('.') != std::string::npos) continue;  // [llama] and [lora]
    table.add_row({field.key, field.value(), field.help});
  }
  return table.text();
}

std::string about_table(const CheckpointConfig& config) {
  MarkdownTable table({{"about"}, {"value"}});
  if (!config.alphabet.empty()) table.add_row({"alphabet", "`" + config.alphabet + "`"});
  if (config.about.card) {
    ModelCard card = *config.about.card;
    for (const config::Field& field : config::Fields(card).all())
      table.add_row({field.key, field.value()});
  }
  for (const auto& [key, value] : config.about.notes) table.add_row({key, value});
  return table.text();
}

std::string tensor_table(const formats::Safetensors& file) {
  MarkdownTable table({{"tensor"}, {"shape", Align::kRight}, {"type"}, {"numbers", Align::kRight}});
  for (const formats::TensorView& tensor : file.tensors())
    table.add_row({tensor.name, fmt::format("{}", fmt::join(tensor.shape, " x ")),
                   std::string(formats::name_of(tensor.dtype)), grouped(count(tensor))});
  return table.text();
}

}  // namespace

std::string describe(const std::filesystem::path& folder) {
  const CheckpointConfig config = read_config(folder);
  const formats::Safetensors file = is_adapter(folder)
                                        ? formats::open_safetensors_folder(folder, kAdapterName)
                                        : formats::open_safetensors_folder(folder);
  std::int64_t total = 0;
  for (const formats::TensorView& tensor : file.tensors()) total += count(tensor);
  std::string text =
      fmt::format("# {}\n\nA {} model of {} parameters in {} tensors{}.\n\n", folder.string(),
                  config.settings.architecture, grouped(total), file.tensors().size(),
                  is_adapter(folder) ? ", LoRA's matrices for " + read_adapter(folder).base : "");
  text += settings_table(config.settings) + "\n";
  if (!config.alphabet.empty() || config.about.card || !config.about.notes.empty())
    text += about_table(config) + "\n";
  return text + tensor_table(file);
}

}  // namespace mgdm::spec
