#include "model_files/describe.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "decoding/orders.h"
#include "formats/checksums.h"
#include "formats/markdown_table.h"
#include "formats/safetensors_folder.h"
#include "model_files/adapter.h"
#include "model_files/checkpoint_config.h"
#include "spec/kinds.h"
#include "tasks/task.h"

namespace mgdm::model_files {
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

// How an answer comes about.
std::string passes_of(const spec::ModelCard& card) {
  const auto within = [&](std::string_view from) {
    return fmt::format("starts from {} and works on all of it, in at most {} passes", from,
                       card.decoding.steps);
  };
  switch (spec::objective_kind(card.objective).decoder) {
    case decoding::Decoder::kLeftToRight:
      return "writes from left to right, a token in every pass";
    case decoding::Decoder::kOnePass:
      return "writes a whole answer in one pass";
    case decoding::Decoder::kDiffusion:
      return fmt::format("{} ({}: {})", within("an answer that is all [MASK]"), card.decoding.order,
                         decoding::order_kind(card.decoding.order).about);
    case decoding::Decoder::kMultinomial:
      return within("random tokens");
    case decoding::Decoder::kAncestral:
      return within("random vectors");
  }
  MGDM_CHECK(false);
}

// What the model does, for those who know none of its settings.
std::string in_words(const spec::ModelCard& card, const spec::ModelSettings& settings) {
  std::string task = card.task;
  try {
    task += fmt::format(" ({})", spec::task_of(card)->about());
  } catch (const Error&) {  // a task that this program does not know
  }
  std::string text = fmt::format("It answers puzzles of {}: it {}.", task, passes_of(card));
  if (spec::architecture_kind(settings.architecture).family == spec::Family::kLooped)
    text += fmt::format(" Each pass goes {} times through the same {} layers.",
                        card.decoding.loops > 0 ? card.decoding.loops : settings.loops,
                        settings.layers);
  return text + "\n\n";
}

std::string settings_table(spec::ModelSettings settings, std::size_t columns) {
  MarkdownTable table({{"setting"}, {"value"}, {"meaning"}});
  const config::Fields fields(settings);
  const bool llama = spec::architecture_kind(settings.architecture).family == spec::Family::kLlama;
  for (const config::Field& field : fields.all()) {
    if (!llama && field.key.find('.') != std::string::npos) continue;  // [llama] and [lora]
    table.add_row({field.key, field.value(), field.help});
  }
  return table.text(columns);
}

std::string about_table(const CheckpointConfig& config, std::size_t columns) {
  MarkdownTable table({{"about"}, {"value"}, {"meaning"}});
  if (!config.alphabet.empty())
    table.add_row({"alphabet", "`" + config.alphabet + "`", "its tokens, beside the special ones"});
  if (config.about.card) {
    spec::ModelCard card = *config.about.card;
    for (const config::Field& field : config::Fields(card).all())
      table.add_row({field.key, field.value(), field.help});
  }
  for (const auto& [key, value] : config.about.notes) table.add_row({key, value, ""});
  return table.text(columns);
}

std::string tensor_table(const formats::Safetensors& file) {
  MarkdownTable table({{"tensor"}, {"shape", Align::kRight}, {"type"}, {"numbers", Align::kRight}});
  for (const formats::TensorView& tensor : file.tensors())
    table.add_row({tensor.name, joined_by(tensor.shape, " x "),
                   std::string(formats::name_of(tensor.dtype)), grouped(count(tensor))});
  return table.text();
}

std::string file_table(const std::filesystem::path& folder) {
  formats::check_files(folder);
  const formats::Checksums checksums = formats::read_checksums(folder);
  if (checksums.empty()) return unchecked_note(folder);
  MarkdownTable table({{"file"}, {"bytes", Align::kRight}, {"CRC-32C"}});
  for (const auto& [name, crc] : checksums)
    table.add_row({name,
                   is_there(folder / name)
                       ? grouped(static_cast<std::int64_t>(file_size(folder / name)))
                       : "missing",
                   fmt::format("{:08x}", crc)});
  return table.text();
}

}  // namespace

std::string unchecked_note(const std::filesystem::path& folder) {
  if (is_there(folder / formats::kChecksumsFile)) return "";
  return fmt::format(
      "{} has no checksums.txt: damage to its files cannot be noticed (mgdm export makes a copy "
      "that has one)\n",
      folder.string());
}

std::string describe(const std::filesystem::path& folder, std::size_t columns) {
  const CheckpointConfig config = read_config(folder);
  const formats::Safetensors file =
      is_adapter(folder) ? open_adapter(folder) : formats::open_safetensors_folder(folder);
  std::int64_t total = 0;
  for (const formats::TensorView& tensor : file.tensors()) total += count(tensor);
  std::string text =
      fmt::format("# {}\n\nA {} model of {} parameters in {} tensors{}.\n\n", folder.string(),
                  config.settings.architecture, grouped(total), file.tensors().size(),
                  is_adapter(folder) ? ", LoRA's matrices for " + read_adapter(folder).base : "");
  if (config.about.card) text += in_words(*config.about.card, config.settings);
  text = wrapped(text, columns) + settings_table(config.settings, columns) + "\n";
  if (!config.alphabet.empty() || config.about.card || !config.about.notes.empty())
    text += about_table(config, columns) + "\n";
  return text + file_table(folder) + "\n" + tensor_table(file);
}

std::string describe_shortly(const std::filesystem::path& folder) {
  return attempt(
      [&] {
        const CheckpointConfig config = read_config(folder);
        const auto& card = config.about.card;
        return fmt::format(
            "{}{}, {} parameters", card ? fmt::format("{}, {}, ", card->task, card->objective) : "",
            config.settings.architecture, grouped(spec::parameter_count(config.settings)));
      },
      [](const Error& error) { return error.seen(); });
}

}  // namespace mgdm::model_files
