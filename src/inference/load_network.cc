#include "inference/load_network.h"

#include <fmt/format.h>

#include <utility>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#ifdef MGDM_HAVE_RUNTIME
#include "runtime/network.h"
#endif

namespace mgdm::inference {
namespace {

NetworkLoader& registered_loader() {
  static NetworkLoader loader;
  return loader;
}

}  // namespace

void ComputeSettings::visit(config::Visitor& v) {
  v.field("device", device, "auto, cpu, cuda or cuda:N");
  v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
  v.field("arithmetic", arithmetic,
          "arithmetic of matmuls on a CPU: fp32 is exact, bf16 faster, int8 smallest and often "
          "fastest; auto: the default stored with the model",
          config::one_of(spec::arithmetic_choices()));
  v.field("deterministic", deterministic,
          "on a GPU, solve one puzzle at a time: slower, but no answer depends on the other "
          "puzzles, not even by rounding");
}

void use_network_loader(NetworkLoader loader) { registered_loader() = std::move(loader); }

bool can_run([[maybe_unused]] const spec::ModelSettings& settings) {
#ifdef MGDM_HAVE_RUNTIME
  if (runtime::knows(settings)) return true;
#endif
  return bool{registered_loader()};
}

LoadedNetwork load_network(const std::filesystem::path& folder,
                           const model_files::CheckpointConfig& config, const spec::ModelCard& card,
                           const ComputeSettings& settings) {
  const NetworkLoader& loader = registered_loader();
  return (loader ? loader : load_cpu_network)(folder, config, card, settings);
}

LoadedNetwork load_cpu_network(const std::filesystem::path& folder,
                               [[maybe_unused]] const model_files::CheckpointConfig& config,
                               [[maybe_unused]] const spec::ModelCard& card,
                               const ComputeSettings& settings) {
  if (settings.device == "cuda" || settings.device.starts_with("cuda:"))
    throw Error(fmt::format("device {}: this program runs models on the CPU only",
                            in_quotes(settings.device)),
                "cpu or auto", "build the full program, with a LibTorch that has CUDA");
  if (settings.device != "cpu" && settings.device != "auto")
    throw UsageError(fmt::format("unknown device {}", in_quotes(settings.device)),
                     "auto, cpu, cuda or cuda:N");
#ifdef MGDM_HAVE_RUNTIME
  LoadedNetwork loaded;
  loaded.arithmetic = settings.arithmetic == "auto" ? card.arithmetic : settings.arithmetic;
  const auto threads = static_cast<int>(settings.threads);
  loaded.network = runtime::load_network(folder, config.settings,
                                         {threads, runtime::arithmetic_named(loaded.arithmetic)});
  loaded.device = "CPU";
  loaded.enough = kEnoughForAThread * static_cast<std::size_t>(thread_count(threads));
  return loaded;
#else
  throw Error(fmt::format("this program cannot run the model in {}", folder.string()),
              "a program built with Highway or LibTorch", "install libhwy-dev and build again");
#endif
}

}  // namespace mgdm::inference
