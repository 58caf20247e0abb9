#include "inference/engine.h"

#include <utility>

#include "inference/cpu_engine.h"

namespace mgdm::inference {
namespace {

class SlotEngine : public Engine {
 public:
  SlotEngine(std::unique_ptr<decoding::Network> network, std::string device, std::string arithmetic,
             std::size_t enough)
      : network_(std::move(network)),
        slots_(*network_),
        device_(std::move(device)),
        arithmetic_(std::move(arithmetic)),
        enough_(enough) {}

  decoding::SlotId join(decoding::Request request) override {
    return slots_.join(std::move(request));
  }
  bool cancel(decoding::SlotId slot) override { return slots_.cancel(slot); }
  std::size_t active() const override { return slots_.active(); }
  std::vector<decoding::Finished> pass() override { return slots_.pass(); }
  std::size_t enough() const override { return enough_; }
  std::string device() const override { return device_; }
  std::string arithmetic() const override { return arithmetic_; }

 private:
  const std::unique_ptr<decoding::Network> network_;
  decoding::Slots slots_;
  const std::string device_, arithmetic_;
  const std::size_t enough_;
};

// Empty where there are no others than the CPU's.
EngineMaker& maker() {
  static EngineMaker made;
  return made;
}

}  // namespace

std::unique_ptr<Engine> slot_engine(std::unique_ptr<decoding::Network> network, std::string device,
                                    std::string arithmetic, std::size_t enough) {
  return std::make_unique<SlotEngine>(std::move(network), std::move(device), std::move(arithmetic),
                                      enough);
}

void use_engines(EngineMaker made) { maker() = std::move(made); }

bool takes(const spec::ModelSettings& settings) { return maker() || cpu_engine_takes(settings); }

std::unique_ptr<Engine> make_engine(const std::filesystem::path& folder,
                                    const model_files::CheckpointConfig& config,
                                    const spec::ModelCard& card, const EngineSettings& settings) {
  return maker() ? maker()(folder, config, card, settings)
                 : load_cpu_engine(folder, config, card, settings);
}

}  // namespace mgdm::inference
