#include "nn/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "nn/tensor_bytes.h"
#include "spec/atomic_folder.h"
#include "spec/kinds.h"
#include "spec/tokenizer_files.h"

namespace mgdm::nn {
namespace {

namespace fs = std::filesystem;
using formats::Safetensors;
using formats::TensorView;
using spec::CheckpointConfig;

constexpr std::string_view kPrefix = "transformer.";

bool has_gpt2_files(const Model& model) {
  return spec::architecture_kind(model.settings().architecture).gpt2_files;
}

// GPT-2's matrices stand in files as Conv1D wants them, (in, out); in memory they are (out, in).
bool stored_transposed(const Model& model, const Parameter& parameter) {
  return has_gpt2_files(model) && parameter.role == Role::kMatrix;
}

std::string_view without_prefix(std::string_view name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

// Masks that older versions of transformers saved: "h.3.attn.bias", "h.3.attn.masked_bias".
bool is_known_buffer(std::string_view name) {
  const auto parts = split(name, '.');
  return parts.size() == 4 && parts[0] == "h" && parse_int(parts[1]) && parts[2] == "attn" &&
         (parts[3] == "bias" || parts[3] == "masked_bias");
}

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

std::string shape_text(at::IntArrayRef shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

at::Tensor to_float(const TensorView& view, const std::string& place) {
  const at::Tensor value = to_tensor(view);
  if (!value.is_floating_point())
    throw Error(fmt::format("{} is of type {}", place, formats::name_of(view.dtype)),
                "F32, BF16 or F16");
  return value.to(at::kFloat);
}

std::string place_of(const Safetensors& file, std::string_view tensor) {
  return fmt::format("{}: tensor {}", file.source(), in_quotes(tensor, 200));
}

// Files of GPT-2 come with and without "transformer." before the names; both become the model's.
std::map<std::string, const TensorView*> tensors_by_name(const Safetensors& file,
                                                         const Model& model) {
  const bool gpt2 = has_gpt2_files(model);
  std::map<std::string, const TensorView*> tensors;
  for (const TensorView& tensor : file.tensors()) {
    std::string name = tensor.name;
    if (gpt2 && name != "lm_head.weight") {
      if (is_known_buffer(without_prefix(name))) continue;
      name = fmt::format("{}{}", kPrefix, without_prefix(name));
    }
    if (!tensors.emplace(std::move(name), &tensor).second)
      throw Error(place_of(file, tensor.name) + " is there with and without the prefix",
                  "every tensor once");
  }
  return tensors;
}

// The head is the token embedding. Files may hold it twice, but not two different ones.
void check_tied_head(const Safetensors& file, const TensorView& head, const at::Tensor& tokens) {
  const std::string place = place_of(file, head.name);
  const at::Tensor value = to_float(head, place);
  if (!value.sizes().equals(tokens.sizes()) || !at::equal(value, tokens))
    throw Error(place + " differs from the token embedding", "a head tied to the embedding");
}

// Every tensor of the model, in its order, as the model holds it. All of the file must be used.
std::vector<at::Tensor> read_weights(const Safetensors& file, const Model& model) {
  auto tensors = tensors_by_name(file, model);
  std::vector<at::Tensor> values;
  for (const Parameter& parameter : model.parameters().all()) {
    const auto found = tensors.find(parameter.name);
    const at::Tensor expected = stored_transposed(model, parameter) ? parameter.value.detach().t()
                                                                    : parameter.value.detach();
    if (found == tensors.end())
      throw Error(place_of(file, parameter.name) + " is missing",
                  "a tensor of shape " + shape_text(expected.sizes()),
                  "check that config.json and the weights belong together");
    const TensorView& view = *found->second;
    const std::string place = place_of(file, view.name);
    if (!expected.sizes().equals(view.shape))
      throw Error(fmt::format("{} has shape {}", place, shape_text(view.shape)),
                  shape_text(expected.sizes()),
                  "check that config.json and the weights belong together");
    const at::Tensor value = to_float(view, place);
    values.push_back(stored_transposed(model, parameter) ? value.t() : value);
    tensors.erase(found);
  }
  for (const auto& [name, view] : tensors) {
    if (name == "lm_head.weight" && has_gpt2_files(model))
      check_tied_head(file, *view, values.front());
    else
      throw Error(fmt::format("{} of shape {} is unexpected", place_of(file, view->name),
                              shape_text(view->shape)),
                  fmt::format("the tensors of a {} model of {} layers",
                              model.settings().architecture, model.settings().layers));
  }
  return values;
}

}  // namespace

void write_model(const fs::path& folder, const Model& model, const data::Vocabulary& vocabulary,
                 const About& about, const SaveOptions& options) {
  const ModelSettings& settings = model.settings();
  MGDM_CHECK(vocabulary.size() <= settings.vocabulary);
  const at::ScalarType type = scalar_type_of(options.dtype);
  std::vector<at::Tensor> copies;
  std::vector<TensorView> views;
  for (const Parameter& parameter : model.parameters().all()) {
    const at::Tensor value = parameter.value.detach().to(type);
    copies.push_back(host_copy(stored_transposed(model, parameter) ? value.t() : value));
    views.push_back(view_of(parameter.name, copies.back()));
  }
  formats::write_safetensors_folder(folder, views, formats::kDefaultMetadata,
                                    options.max_shard_bytes);
  spec::write_tokenizer_files(folder, vocabulary, settings.positions);
  write_file((folder / "config.json").string(),
             spec::to_json({settings, vocabulary.alphabet(), about, torch_name(options.dtype)}));
}

void save_model(const fs::path& folder, const Model& model, const data::Vocabulary& vocabulary,
                const About& about, const SaveOptions& options) {
  spec::AtomicFolder atomic(folder);
  write_model(atomic.path(), model, vocabulary, about, options);
  atomic.commit();
}

void load_weights(const fs::path& folder, Model& model) {
  const std::vector<at::Tensor> values =
      read_weights(formats::open_safetensors_folder(folder), model);
  const at::NoGradGuard no_grad;
  const auto& parameters = model.parameters().all();
  for (std::size_t i = 0; i < values.size(); ++i) {
    at::Tensor target = parameters[i].value;
    target.copy_(values[i]);
  }
}

LoadedModel load_model(const fs::path& folder) {
  CheckpointConfig config = spec::read_config(folder);
  std::unique_ptr<Model> model = make_model(config.settings, /*seed=*/{});
  load_weights(folder, *model);
  return {std::move(model), std::move(config.alphabet), std::move(config.about)};
}

}  // namespace mgdm::nn
