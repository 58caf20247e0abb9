#include "engine/load_torch_network.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "compat/device.h"
#include "compat/parallel.h"
#include "engine/ancestral_decoder.h"
#include "engine/kernel_decoder.h"
#include "engine/torch_network.h"
#include "nn/checkpoint.h"
#ifdef MGDM_HAVE_RUNTIME
#include "runtime/network.h"
#endif

namespace mgdm::engine {
namespace {

// A GPU takes all that it gets. On a CPU LibTorch likes more rows than the room runtime: with half
// of these it loses 6 %.
std::size_t enough_for(c10::Device device) {
  constexpr std::size_t kForACore = 8 * inference::kEnoughForAThread;
  return device.is_cuda() ? std::numeric_limits<std::size_t>::max()
                          : kForACore * static_cast<std::size_t>(usable_cores());
}

}  // namespace

inference::LoadedNetwork torch_network(std::shared_ptr<nn::Model> model, bool bf16,
                                       bool deterministic) {
  const c10::Device device = model->device();
  bf16 = bf16 && device.is_cuda();
  inference::LoadedNetwork loaded{.device = compat::device_name(device),
                                  .arithmetic = bf16 ? "bf16" : "fp32",
                                  .enough = enough_for(device)};
  const bool one_by_one = deterministic && device.is_cuda();
  if (model->settings().vectors > 0)
    loaded.decoders.push_back(std::make_unique<AncestralDecoder>(model, bf16, one_by_one));
  else if (device.is_cuda() && !deterministic)
    loaded.decoders.push_back(std::make_unique<KernelDecoder>(kernel_network(*model, bf16)));
  loaded.network = std::make_unique<TorchNetwork>(std::move(model), bf16, one_by_one);
  return loaded;
}

inference::LoadedNetwork load_network(const std::filesystem::path& folder,
                                      const model_files::CheckpointConfig& config,
                                      const spec::ModelCard& card,
                                      const inference::ComputeSettings& settings) {
#ifdef MGDM_HAVE_RUNTIME
  if (compat::device(settings.device).is_cpu() && runtime::knows(config.settings))
    return inference::load_cpu_network(folder, config, card, settings);
#endif
  return load_torch_network(folder, config, card, settings);
}

void check_arithmetic(const std::string& asked, bool on_cpu) {
  if (asked == "auto" || (on_cpu && asked == "fp32")) return;
  if (on_cpu)
    throw UsageError(
        fmt::format("arithmetic {} for a model that LibTorch runs on the CPU", in_quotes(asked)),
        "auto or fp32");
  throw UsageError(fmt::format("arithmetic {} on a GPU", in_quotes(asked)),
                   "auto: there it is what the model was trained in", "--device cpu");
}

inference::LoadedNetwork load_torch_network(const std::filesystem::path& folder,
                                            const model_files::CheckpointConfig& config,
                                            const spec::ModelCard& card,
                                            const inference::ComputeSettings& settings) {
  const c10::Device device = compat::device(settings.device);
  check_arithmetic(settings.arithmetic, device.is_cpu());
  compat::use_threads(static_cast<int>(settings.threads));
  std::shared_ptr<nn::Model> model = nn::make_model(config.settings, /*seed=*/{});
  nn::load_weights(folder, *model);
  model->to(device);
  const bool bf16 = card.precision == "bf16";
  if (bf16 && device.is_cuda()) model->keep_matrices_in_bf16();
  return torch_network(std::move(model), bf16, settings.deterministic);
}

}  // namespace mgdm::engine
