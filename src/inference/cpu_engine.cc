#include "inference/cpu_engine.h"

#include <fmt/format.h>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#ifdef MGDM_HAVE_RUNTIME
#include "runtime/network.h"
#endif

namespace mgdm::inference {

bool cpu_engine_takes([[maybe_unused]] const spec::ModelSettings& settings) {
#ifdef MGDM_HAVE_RUNTIME
  return runtime::knows(settings);
#else
  return false;
#endif
}

std::unique_ptr<Engine> load_cpu_engine(
    const std::filesystem::path& folder,
    [[maybe_unused]] const model_files::CheckpointConfig& config,
    [[maybe_unused]] const spec::ModelCard& card, const EngineSettings& settings) {
  if (settings.device == "cuda" || settings.device.starts_with("cuda:"))
    throw Error(
        fmt::format("device {}, but no engine for CUDA is there", in_quotes(settings.device)),
        "cpu or auto", "build the full program, with LibTorch that has CUDA");
  if (settings.device != "cpu" && settings.device != "auto")
    throw UsageError(fmt::format("unknown device {}", in_quotes(settings.device)),
                     "auto, cpu, cuda or cuda:N");
#ifdef MGDM_HAVE_RUNTIME
  const std::string arithmetic =
      settings.arithmetic == "auto" ? card.arithmetic : settings.arithmetic;
  const runtime::Options options{settings.threads, runtime::arithmetic_named(arithmetic)};
  const auto threads = static_cast<std::size_t>(thread_count(settings.threads));
  return slot_engine(runtime::load_network(folder, config.settings, options), "CPU", arithmetic,
                     kEnoughForAThread * threads);
#else
  throw Error(fmt::format("nothing to run the model in {} with", folder.string()),
              "a program built with Highway or LibTorch", "install libhwy-dev and build again");
#endif
}

}  // namespace mgdm::inference
