#include "engine/torch_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "compat/parallel.h"
#include "engine/ancestral.h"
#include "engine/autoregressive.h"
#include "engine/device_decoding.h"
#include "engine/diffusion.h"
#include "engine/multinomial.h"
#include "inference/cpu_engine.h"
#include "nn/batch_tensors.h"
#include "nn/checkpoint.h"
#ifdef MGDM_HAVE_RUNTIME
#include "runtime/network.h"
#endif

namespace mgdm::engine {
namespace {

using decoding::Finished;
using decoding::Request;
using decoding::SlotId;

using nn::tokens_of;

// One batch of puzzles of the same length, settings and number of the try.
class BatchDecoding {
 public:
  BatchDecoding(nn::Model& model, bool bf16, const data::Specials& specials,
                DeviceDecoding& on_device, std::vector<std::pair<SlotId, Request>> slots)
      : model_(model),
        bf16_(bf16),
        specials_(specials),
        on_device_(on_device),
        slots_(std::move(slots)),
        finished_(slots_.size()),
        told_(slots_.size()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) finished_[i].slot = slots_[i].first;
  }

  std::vector<Finished> run() {
    const Result result = on_cpu(decoded(tensors()));
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Finished& finished = finished_[i];
      if (finished.error) continue;  // its observer's
      if (!stopped(i))
        finished.first = finished.best = answer(result, static_cast<std::int64_t>(i));
      judge(i);
    }
    return std::move(finished_);
  }

 private:
  Batch tensors() const {
    data::Rows rows(slots_.size(), slots_.front().second.puzzle.tokens.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const decoding::Puzzle& puzzle = slots_[i].second.puzzle;
      std::copy(puzzle.tokens.begin(), puzzle.tokens.end(), rows[i].tokens.begin());
      std::copy(puzzle.frozen.begin(), puzzle.frozen.end(), rows[i].frozen.begin());
      rows.items[i] = puzzle.item;
    }
    Batch batch{nn::tensors_of(rows, model_.device())};
    batch.specials = specials_;
    batch.attempt = slots_.front().second.puzzle.attempt;
    return batch;
  }

  Result decoded(const Batch& batch) {
    const spec::DecodingSettings& settings = slots_.front().second.puzzle.settings;
    const OnStep observe = [this](const Step& step) { return tell(step); };
    const OnStep on_step = observed() ? observe : OnStep();
    if (settings.decoder == spec::Decoder::kLeftToRight)
      return decode_autoregressive(model_, batch, on_step, bf16_);
    if (settings.decoder == spec::Decoder::kAncestral)
      return decode_ancestral(model_, batch, settings, on_step, bf16_);
    const Network network = network_of(model_, bf16_, settings.loops);
    if (settings.decoder == spec::Decoder::kMultinomial)
      return decode_multinomial(network, model_.settings().vocabulary, batch, settings, on_step);
    if (!on_step && DeviceDecoding::takes(batch, settings, model_.settings().vocabulary))
      return on_device_.decode(batch, settings);
    return decode(network, batch, settings, on_step);
  }

  bool observed() const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [](const auto& slot) { return bool{slot.second.observer}; });
  }

  bool stopped(std::size_t i) const {
    return finished_[i].error || !finished_[i].first.tokens.empty();
  }

  // Whether somebody still wants to go on.
  bool tell(const Step& step) {
    bool go_on = false;
    const at::Tensor passes = step.forward_passes.cpu();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (stopped(i)) continue;
      const std::int64_t now = passes.data_ptr<std::int64_t>()[i];
      const bool took_part = std::exchange(told_[i], now) != now;
      const decoding::Observer& observer = slots_[i].second.observer;
      go_on = !observer || !took_part || tell_one(i, observer, step, now) || go_on;
    }
    return go_on;
  }

  // After the puzzle's own pass number `passes`, from 1.
  bool tell_one(std::size_t i, const decoding::Observer& observer, const Step& step,
                std::int64_t passes) {
    const auto row = static_cast<std::int64_t>(i);
    const std::vector<data::Token> tokens = tokens_of(step.tokens[row]);
    const at::Tensor confidence = step.confidence[row].to(at::kFloat).cpu().contiguous();
    Finished& finished = finished_[i];
    try {
      if (observer({.slot = slots_[i].first,
                    .pass = passes - 1,
                    .tokens = tokens,
                    .confidence = {confidence.data_ptr<float>(), tokens.size()}}))
        return true;
      finished.first = finished.best = {tokens, passes};
    } catch (...) {
      finished.error = std::current_exception();
    }
    return false;
  }

  void judge(std::size_t i) {
    const decoding::Verifier& verified = slots_[i].second.verified;
    try {
      if (verified && verified(finished_[i].first.tokens)) finished_[i].successful_try = 0;
    } catch (...) {
      finished_[i].error = std::current_exception();
    }
  }

  // Once: every copy waits for the device.
  static Result on_cpu(const Result& result) {
    return {result.tokens.cpu().contiguous(), result.forward_passes.cpu()};
  }

  // Of a result on the CPU.
  static decoding::Answer answer(const Result& result, std::int64_t row) {
    const std::int64_t length = result.tokens.size(1);
    const std::int64_t* const tokens = result.tokens.data_ptr<std::int64_t>() + row * length;
    return {{tokens, tokens + length}, result.forward_passes.data_ptr<std::int64_t>()[row]};
  }

  nn::Model& model_;
  const bool bf16_;
  const data::Specials specials_;
  DeviceDecoding& on_device_;
  const std::vector<std::pair<SlotId, Request>> slots_;
  std::vector<Finished> finished_;
  std::vector<std::int64_t> told_;  // how many passes of each were told
};

FewStates few_states_of(nn::Model& model, bool bf16) {
  if (!model.heeds_wanted()) return {};
  return {.shift = model.settings().shift,
          .make = [&model, bf16](const spec::DecodingSettings& settings, const at::Tensor& wanted) {
            return predictor_of(model, bf16, settings.loops, wanted);
          }};
}

class TorchEngine : public inference::Engine {
 public:
  TorchEngine(std::shared_ptr<nn::Model> model, bool bf16, const data::Specials& specials)
      : model_(std::move(model)),
        bf16_(bf16 && model_->device().is_cuda()),
        specials_(specials),
        on_device_(
            [this](const spec::DecodingSettings& settings) {
              return predictor_of(*model_, bf16_, settings.loops);
            },
            /*recorded=*/true,
            [this](const spec::DecodingSettings& settings) {
              return bf16_ ? model_->transformer(settings.loops) : std::nullopt;
            },
            few_states_of(*model_, bf16_)) {}

  SlotId join(Request request) override {
    MGDM_CHECK(request.puzzle.settings.tries == 1 && request.views.empty());
    waiting_.emplace_back(next_, std::move(request));
    return next_++;
  }

  bool cancel(SlotId slot) override {
    return std::erase_if(waiting_, [&](const auto& each) { return each.first == slot; }) > 0;
  }

  std::size_t active() const override { return waiting_.size(); }

  std::vector<Finished> pass() override {
    if (waiting_.empty()) return {};
    std::vector<std::pair<SlotId, Request>> batch, rest;
    for (auto& slot : waiting_) {
      const bool fits = batch.empty() || together(slot.second, batch.front().second);
      (fits ? batch : rest).push_back(std::move(slot));
    }
    waiting_ = std::move(rest);
    std::vector<SlotId> ids;
    for (const auto& [slot, request] : batch) ids.push_back(slot);
    try {
      return compat::with_memory_for_puzzles(ids.size(), [&] {
        return BatchDecoding(*model_, bf16_, specials_, on_device_, std::move(batch)).run();
      });
    } catch (const Interrupted&) {
      throw;
    } catch (...) {  // theirs alone: others still wait
      std::vector<Finished> failed;
      for (const SlotId slot : ids)
        failed.push_back({.slot = slot, .error = std::current_exception()});
      return failed;
    }
  }

  // A GPU takes all that it gets. On a CPU LibTorch likes more rows than the room runtime: with
  // half of these it loses 6 %.
  std::size_t enough() const override {
    constexpr std::size_t kForACore = 8 * inference::kEnoughForAThread;
    return model_->device().is_cuda() ? std::numeric_limits<std::size_t>::max()
                                      : kForACore * static_cast<std::size_t>(usable_cores());
  }

  std::string device() const override { return compat::device_name(model_->device()); }
  std::string arithmetic() const override { return bf16_ ? "bf16" : "fp32"; }

 private:
  static bool together(const Request& a, const Request& b) {
    return a.puzzle.tokens.size() == b.puzzle.tokens.size() &&
           a.puzzle.settings == b.puzzle.settings && a.puzzle.attempt == b.puzzle.attempt;
  }

  const std::shared_ptr<nn::Model> model_;
  const bool bf16_;
  const data::Specials specials_;
  DeviceDecoding on_device_;
  std::vector<std::pair<SlotId, Request>> waiting_;
  SlotId next_ = 0;
};

}  // namespace

std::unique_ptr<inference::Engine> torch_engine(std::shared_ptr<nn::Model> model, bool bf16,
                                                const data::Specials& specials) {
  return std::make_unique<TorchEngine>(std::move(model), bf16, specials);
}

std::unique_ptr<inference::Engine> load_engine(const std::filesystem::path& folder,
                                               const model_files::CheckpointConfig& config,
                                               const spec::ModelCard& card,
                                               const inference::EngineSettings& settings) {
#ifdef MGDM_HAVE_RUNTIME
  if (compat::device(settings.device).is_cpu() && runtime::knows(config.settings))
    return inference::load_cpu_engine(folder, config, card, settings);
#endif
  return load_torch_engine(folder, config, card, settings);
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

std::unique_ptr<inference::Engine> load_torch_engine(const std::filesystem::path& folder,
                                                     const model_files::CheckpointConfig& config,
                                                     const spec::ModelCard& card,
                                                     const inference::EngineSettings& settings) {
  const c10::Device device = compat::device(settings.device);
  check_arithmetic(settings.arithmetic, device.is_cpu());
  compat::use_threads(settings.threads);
  std::shared_ptr<nn::Model> model = nn::make_model(config.settings, /*seed=*/{});
  nn::load_weights(folder, *model);
  model->to(device);
  const bool bf16 = card.precision == "bf16";
  if (bf16 && model->device().is_cuda()) model->keep_matrices_in_bf16();
  return torch_engine(std::move(model), bf16,
                      model_files::read_vocabulary(folder, config).specials());
}

}  // namespace mgdm::engine
