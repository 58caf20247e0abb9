#include "spec/model_folder.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/floats.h"
#include "spec/atomic_folder.h"
#include "spec/checkpoint_config.h"
#include "spec/tokenizer_files.h"
#include "spec/weights.h"

namespace mgdm::spec {
namespace {

std::string torch_name(formats::Dtype dtype) {
  switch (dtype) {
    case formats::Dtype::kF32:
      return "float32";
    case formats::Dtype::kBF16:
      return "bfloat16";
    case formats::Dtype::kF16:
      return "float16";
    default:
      throw Error(fmt::format("a model saved as {}", formats::name_of(dtype)), "F32, BF16 or F16");
  }
}

}  // namespace

void write_model_files(const std::filesystem::path& folder,
                       std::span<const formats::TensorView> tensors, const ModelFiles& files) {
  MGDM_CHECK(files.vocabulary.size() <= files.settings.vocabulary);
  formats::write_safetensors_folder(folder, tensors, formats::kDefaultMetadata,
                                    files.max_shard_bytes);
  write_tokenizer_files(folder, files.vocabulary, files.settings.positions);
  write_file(
      (folder / "config.json").string(),
      to_json({files.settings, files.vocabulary.alphabet(), files.about, torch_name(files.dtype)}));
}

void copy_model(const std::filesystem::path& from, const std::filesystem::path& to,
                const CopyOptions& options) {
  CheckpointConfig config = read_config(from);
  if (config.alphabet.empty())
    throw Error(fmt::format("{} says nothing of its tokens", in_quotes(from.string())),
                "a model trained by mgdm");
  if (options.arithmetic) {
    if (!config.about.card)
      throw Error(fmt::format("{} has no card to name an arithmetic", in_quotes(from.string())),
                  "a model trained by mgdm");
    config.about.card->arithmetic = *options.arithmetic;
  }
  const formats::Dtype dtype = options.dtype;
  const formats::Safetensors file = formats::open_safetensors_folder(from);
  const std::vector<const formats::TensorView*> views = weights_in(file, config.settings);
  const std::vector<TensorSpec> names = tensors_of(config.settings);
  std::vector<std::vector<std::byte>> converted;
  std::vector<formats::TensorView> tensors;
  for (std::size_t i = 0; i < views.size(); ++i) {
    converted.push_back(formats::from_floats(formats::to_floats(*views[i]), dtype));
    tensors.push_back({names[i].name, dtype, views[i]->shape, converted.back()});
  }
  AtomicFolder folder(to);
  write_model_files(folder.path(), tensors,
                    {.settings = config.settings,
                     .vocabulary = data::Vocabulary(config.alphabet),
                     .about = config.about,
                     .dtype = dtype,
                     .max_shard_bytes = options.max_shard_bytes});
  folder.commit();
}

}  // namespace mgdm::spec
