#include "model_files/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "spec/kinds.h"

namespace mgdm::model_files {
namespace {

using formats::Dtype;
using formats::Safetensors;
using formats::TensorView;

constexpr std::string_view kPrefix = "transformer.";
constexpr std::string_view kTiedHead = "lm_head.weight";
constexpr const char* kHint = "check that config.json and the weights belong together";

bool has_gpt2_files(const spec::ModelSettings& settings) {
  return spec::architecture_kind(settings.architecture).family == spec::Family::kGpt2;
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

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({})", joined_by(shape, ", "));
}

std::string place_of(const Safetensors& file, std::string_view tensor) {
  return fmt::format("{}: tensor {}", file.source(), in_quotes(tensor, 200));
}

// What older versions of transformers saved of LLaMA's rotary positions:
// "model.layers.3.self_attn.rotary_emb.inv_freq".
bool is_rotary_buffer(std::string_view name) { return name.ends_with(".rotary_emb.inv_freq"); }

std::map<std::string, const TensorView*> tensors_by_name(const Safetensors& file, bool gpt2) {
  std::map<std::string, const TensorView*> tensors;
  for (const TensorView& tensor : file.tensors()) {
    std::string name = tensor.name;
    if (!gpt2 && is_rotary_buffer(name)) continue;
    if (gpt2 && name != kTiedHead) {
      if (is_known_buffer(without_prefix(name))) continue;
      name = fmt::format("{}{}", kPrefix, without_prefix(name));
    }
    if (!tensors.emplace(std::move(name), &tensor).second)
      throw Error(place_of(file, tensor.name) + " is there with and without the prefix",
                  "every tensor once");
  }
  return tensors;
}

void check_type(const Safetensors& file, const TensorView& tensor) {
  if (tensor.dtype != Dtype::kF32 && tensor.dtype != Dtype::kBF16 && tensor.dtype != Dtype::kF16)
    throw Error(fmt::format("{} is of type {}", place_of(file, tensor.name),
                            formats::name_of(tensor.dtype)),
                "F32, BF16 or F16");
}

// The head is the token embedding. Files may hold it twice, but not two different ones.
void check_tied_head(const Safetensors& file, const TensorView& head, const TensorView& tokens) {
  if (head.dtype != tokens.dtype || head.shape != tokens.shape ||
      std::memcmp(head.bytes.data(), tokens.bytes.data(), head.bytes.size()) != 0)
    throw Error(place_of(file, head.name) + " differs from the token embedding",
                "a head tied to the embedding");
}

}  // namespace

bool stored_transposed(const spec::ModelSettings& settings, const spec::TensorSpec& tensor) {
  return has_gpt2_files(settings) && tensor.role == spec::Role::kMatrix;
}

std::vector<const TensorView*> weights_in(const Safetensors& file,
                                          const spec::ModelSettings& settings) {
  const bool gpt2 = has_gpt2_files(settings);
  auto tensors = tensors_by_name(file, gpt2);
  std::vector<const TensorView*> views;
  for (const spec::TensorSpec& tensor : spec::tensors_of(settings)) {
    std::vector<std::int64_t> shape = tensor.shape;
    if (stored_transposed(settings, tensor)) std::ranges::reverse(shape);
    const auto found = tensors.find(tensor.name);
    if (found == tensors.end())
      throw Error(place_of(file, tensor.name) + " is missing",
                  "a tensor of shape " + shape_text(shape), kHint);
    const TensorView& view = *found->second;
    if (view.shape != shape)
      throw Error(fmt::format("{} has shape {}", place_of(file, view.name), shape_text(view.shape)),
                  shape_text(shape), kHint);
    check_type(file, view);
    views.push_back(&view);
    tensors.erase(found);
  }
  for (const auto& [name, view] : tensors) {
    if ((gpt2 || settings.llama.tied_head) && name == kTiedHead)
      check_tied_head(file, *view, *views.front());
    else
      throw Error(fmt::format("{} of shape {} is unexpected", place_of(file, view->name),
                              shape_text(view->shape)),
                  fmt::format("the tensors of a {} model of {} layers", settings.architecture,
                              settings.layers));
  }
  return views;
}

}  // namespace mgdm::model_files
