#include "nn/checkpoint.h"

#include <ATen/core/grad_mode.h>

#include <utility>
#include <vector>

#include "nn/tensor_bytes.h"
#include "spec/atomic_folder.h"
#include "spec/model_folder.h"
#include "spec/weights.h"

namespace mgdm::nn {

namespace fs = std::filesystem;

void write_model(const fs::path& folder, const Model& model, const data::Vocabulary& vocabulary,
                 const About& about, const SaveOptions& options) {
  const ModelSettings& settings = model.settings();
  const at::ScalarType type = scalar_type_of(options.dtype);
  std::vector<at::Tensor> copies;
  std::vector<formats::TensorView> views;
  for (const spec::TensorSpec& tensor : spec::tensors_of(settings)) {
    const at::Tensor value = model.parameters().at(tensor.name).detach().to(type);
    copies.push_back(host_copy(spec::stored_transposed(settings, tensor) ? value.t() : value));
    views.push_back(view_of(tensor.name, copies.back()));
  }
  spec::write_model_files(folder, views,
                          {.settings = settings,
                           .vocabulary = vocabulary,
                           .about = about,
                           .dtype = options.dtype,
                           .max_shard_bytes = options.max_shard_bytes});
}

void save_model(const fs::path& folder, const Model& model, const data::Vocabulary& vocabulary,
                const About& about, const SaveOptions& options) {
  spec::AtomicFolder atomic(folder);
  write_model(atomic.path(), model, vocabulary, about, options);
  atomic.commit();
}

void load_weights(const fs::path& folder, Model& model) {
  const formats::Safetensors file = formats::open_safetensors_folder(folder);
  const std::vector<const formats::TensorView*> views = spec::weights_in(file, model.settings());
  const std::vector<spec::TensorSpec> tensors = spec::tensors_of(model.settings());
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor value = to_tensor(*views[i]);
    model.parameters()
        .at(tensors[i].name)
        .copy_(spec::stored_transposed(model.settings(), tensors[i]) ? value.t() : value);
  }
}

LoadedModel load_model(const fs::path& folder) {
  spec::CheckpointConfig config = spec::read_config(folder);
  std::unique_ptr<Model> model = make_model(config.settings, /*seed=*/{});
  load_weights(folder, *model);
  return {std::move(model), std::move(config.alphabet), std::move(config.about)};
}

}  // namespace mgdm::nn
