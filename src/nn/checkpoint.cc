#include "nn/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model_files/adapter.h"
#include "model_files/checkpoints.h"
#include "model_files/model_folder.h"
#include "model_files/weights.h"
#include "nn/tensor_bytes.h"

namespace mgdm::nn {

namespace fs = std::filesystem;

namespace {

// Tensors as files have them, with their bytes.
struct Copies {
  std::vector<at::Tensor> values;
  std::vector<formats::TensorView> views;
};

Copies copies_of(const Model& model, const std::vector<spec::TensorSpec>& tensors,
                 at::ScalarType type) {
  Copies copies;
  for (const spec::TensorSpec& tensor : tensors) {
    const at::Tensor value = model.parameters().at(tensor.name).detach().to(type);
    const bool turned = model_files::stored_transposed(model.settings(), tensor);
    copies.values.push_back(host_copy(turned ? value.t() : value));
    copies.views.push_back(view_of(tensor.name, copies.values.back()));
  }
  return copies;
}

// What a file has of a tensor. The sum tells, in one quick pass over billions of numbers; where it
// is too large for its type, they are looked at one by one.
at::Tensor finite_tensor(const formats::Safetensors& file, const formats::TensorView& view) {
  at::Tensor value = to_tensor(view);
  if (!std::isfinite(value.sum().item<double>()) && !value.isfinite().all().item<bool>())
    throw Error(
        fmt::format("{}: tensor \"{}\" has numbers that are not finite", file.source(), view.name),
        "finite numbers", "load another checkpoint, or copy the file again");
  return value;
}

void load_base(const fs::path& folder, Model& model) {
  const formats::Safetensors file = formats::open_safetensors_folder(folder);
  const std::vector<const formats::TensorView*> views =
      model_files::weights_in(file, model.settings());
  const std::vector<spec::TensorSpec> tensors = spec::tensors_of(model.settings());
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor value = finite_tensor(file, *views[i]);
    model.parameters()
        .at(tensors[i].name)
        .copy_(model_files::stored_transposed(model.settings(), tensors[i]) ? value.t() : value);
  }
}

// Projections that the file leaves alone have no effect: their B is zero.
void load_adapter(const fs::path& folder, Model& model) {
  const formats::Safetensors file = model_files::open_adapter(folder);
  const auto views = model_files::adapter_weights_in(file, model.settings());
  const at::NoGradGuard no_grad;
  for (const spec::TensorSpec& tensor : spec::lora_tensors_of(model.settings())) {
    const at::Tensor& target = model.parameters().at(tensor.name);
    const auto found = views.find(tensor.name);
    if (found == views.end())
      target.zero_();
    else
      target.copy_(finite_tensor(file, *found->second));
  }
}

}  // namespace

void write_model(const fs::path& folder, const Model& model, const data::Vocabulary& vocabulary,
                 const About& about, const SaveOptions& options) {
  const ModelSettings& settings = model.settings();
  const bool lora = settings.lora.rank > 0;
  const Copies copies =
      copies_of(model, lora ? spec::lora_tensors_of(settings) : spec::tensors_of(settings),
                scalar_type_of(options.dtype));
  const model_files::ModelFiles files{.settings = settings,
                                      .vocabulary = vocabulary,
                                      .about = about,
                                      .dtype = options.dtype,
                                      .max_shard_bytes = options.max_shard_bytes};
  (lora ? model_files::write_adapter_files : model_files::write_model_files)(folder, copies.views,
                                                                             files);
}

void save_model(const fs::path& folder, const Model& model, const data::Vocabulary& vocabulary,
                const About& about, const SaveOptions& options) {
  model_files::AtomicFolder atomic(folder);
  write_model(atomic.path(), model, vocabulary, about, options);
  atomic.commit();
}

void load_weights(const fs::path& folder, Model& model) {
  if (!model_files::is_adapter(folder)) return load_base(folder, model);
  const model_files::Adapter adapter = model_files::read_adapter(folder);
  model_files::check_rank(folder, adapter, model.settings().lora);
  const fs::path base = model_files::base_folder(folder, adapter);
  model_files::check_base(model_files::read_config(folder).about, base);
  load_base(base, model);
  load_adapter(folder, model);
}

void load_trained(const fs::path& folder, Model& model) {
  if (model.settings().lora.rank == 0) return load_base(folder, model);
  model_files::check_rank(folder, model_files::read_adapter(folder), model.settings().lora);
  load_adapter(folder, model);
}

LoadedModel load_model(const fs::path& folder) {
  model_files::CheckpointConfig config = model_files::read_config(folder);
  std::optional<data::Vocabulary> vocabulary;
  if (model_files::has_vocabulary(folder, config))
    vocabulary = model_files::read_vocabulary(folder, config);
  std::unique_ptr<Model> model = make_model(config.settings, /*seed=*/{});
  load_weights(folder, *model);
  return {std::move(model), std::move(vocabulary), std::move(config.about)};
}

}  // namespace mgdm::nn
