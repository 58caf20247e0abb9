#include "spec/kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "decoding/orders.h"

namespace mgdm::spec {
namespace {

// The settings that several rows read.
constexpr const char *kSteps = "objective.steps", *kFullMask = "objective.full_mask",
                     *kReweight = "objective.reweight_tokens", *kAlpha = "objective.alpha",
                     *kBeta = "objective.beta", *kShown = "objective.train_shown",
                     *kShownNoise = "objective.shown_noise",
                     *kSmoothing = "objective.label_smoothing";

const std::vector<ObjectiveKind>& objectives() {
  static const std::vector<ObjectiveKind> kinds{
      {"mgdm",
       "masked diffusion that weights noise levels and tokens (the paper's method)",
       /*causal=*/false,
       Noise::kMask,
       decoding::Decoder::kDiffusion,
       /*sequence_weight=*/"",
       {kSteps, kFullMask, "objective.sequence_weight", kReweight, kAlpha, kBeta, kShown,
        kShownNoise, kSmoothing}},
      {"rdm",
       "mgdm with the linear weight and no token weights (RDM)",
       false,
       Noise::kMask,
       decoding::Decoder::kDiffusion,
       "linear",
       {kSteps, kFullMask, kShown, kShownNoise, kSmoothing, "objective.coupled"}},
      {"d3pm_absorbing",
       "mgdm with the weight 1/(t+1) of the ELBO (D3PM)",
       false,
       Noise::kMask,
       decoding::Decoder::kDiffusion,
       "original",
       {kSteps, kFullMask, kShown, kShownNoise, kSmoothing}},
      {"d3pm_uniform",
       "noise replaces tokens by random ones (D3PM, multinomial)",
       false,
       Noise::kUniform,
       decoding::Decoder::kMultinomial,
       "none",
       {kSteps}},
      {"vdm",
       "Gaussian noise on token vectors in continuous time (VDM)",
       false,
       Noise::kGaussian,
       decoding::Decoder::kAncestral,
       "none",
       {"objective.self_condition", "model.vectors"}},
      {"ar",
       "predict each token from those before it",
       true,
       Noise::kNone,
       decoding::Decoder::kLeftToRight,
       "none",
       {kReweight, kAlpha, kBeta, kSmoothing}},
      {"teacherless",
       "predict all tokens at once, with none shown",
       true,
       Noise::kHidden,
       decoding::Decoder::kOnePass,
       "none",
       {kSmoothing}},
  };
  return kinds;
}

Keys llama_keys() {
  return {"model.llama.key_value_heads",
          "model.llama.head_size",
          "model.llama.hidden",
          "model.llama.tied_head",
          "model.llama.norm_eps",
          "model.llama.rope_theta",
          "model.llama.rope_scaling",
          "model.llama.rope_factor",
          "model.llama.rope_low_frequency",
          "model.llama.rope_high_frequency",
          "model.llama.rope_original_positions",
          "model.lora.rank",
          "model.lora.alpha",
          "model.lora.dropout",
          "model.lora.base",
          "training.recompute"};
}

const std::vector<ArchitectureKind>& architectures() {
  static const std::vector<ArchitectureKind> kinds{
      {"gpt2",
       "GPT-2: every layer has its own weights",
       "gpt2",
       /*loops=*/false,
       Family::kGpt2,
       {"model.dropout", "model.vectors"}},
      {"looped",
       "a few layers, applied several times in a loop",
       "mgdm_looped",
       true,
       Family::kLooped,
       {"model.loops", "model.frozen_embedding", "model.loop_norm", "objective.loop_weights",
        "training.fewest_loops", "training.rounds", "training.late_share", "training.late_rounds",
        "training.recompute", "decoding.loops"}},
      {"llama", "LLaMA: language models of Hugging Face's form, whole or by LoRA", "llama", false,
       Family::kLlama, llama_keys()},
  };
  return kinds;
}

// What each decoder reads of [decoding]; a key in none of the lists counts for all of them.
const std::vector<std::pair<decoding::Decoder, Keys>>& decoder_reads() {
  static const Keys every_order = [] {
    Keys keys;
    for (const decoding::OrderKind& order : decoding::order_kinds())
      keys.insert(keys.end(), order.reads.begin(), order.reads.end());
    return keys;
  }();
  static const std::vector<std::pair<decoding::Decoder, Keys>> reads = [] {
    Keys diffusion{"decoding.steps",       "decoding.order", "decoding.revise",
                   "decoding.temperature", "decoding.tries", "decoding.seed",
                   "decoding.early_stop",  "decoding.loops"};
    diffusion.insert(diffusion.end(), every_order.begin(), every_order.end());
    return std::vector<std::pair<decoding::Decoder, Keys>>{
        {decoding::Decoder::kLeftToRight, {"decoding.tries"}},
        {decoding::Decoder::kOnePass,
         {"decoding.temperature", "decoding.tries", "decoding.seed", "decoding.loops"}},
        {decoding::Decoder::kDiffusion, diffusion},
        {decoding::Decoder::kMultinomial,
         {"decoding.steps", "decoding.tries", "decoding.seed", "decoding.loops"}},
        {decoding::Decoder::kAncestral, {"decoding.steps", "decoding.tries", "decoding.seed"}},
    };
  }();
  return reads;
}

const std::vector<PlainKind>& optimizers() {
  static const std::vector<PlainKind> kinds{
      {"adamw", "AdamW", {}},
      {"muon",
       "Muon for the blocks' matrices, AdamW for the rest",
       {"optimizer.muon_lr", "optimizer.momentum"}},
  };
  return kinds;
}

const std::vector<PlainKind>& schedules() {
  static const std::vector<PlainKind> kinds{
      {"cosine", "half a cosine to 0", {}},
      {"constant", "no change", {}},
      {"linear", "no change, then straight to 0", {"optimizer.decay_share"}},
  };
  return kinds;
}

bool reads(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// What the choice of `setting` lacks for `key`: "optimizer.optimizer=muon". Nothing when the kind
// chosen reads it, or none of the kinds does.
template <class Kinds>
std::optional<std::string> missing_in(const Kinds& kinds, std::string_view setting,
                                      std::string_view chosen, std::string_view key) {
  std::vector<std::string> readers;
  for (const auto& kind : kinds) {
    if (!reads(kind.reads, key)) continue;
    if (kind.name == chosen) return std::nullopt;
    readers.emplace_back(kind.name);
  }
  if (readers.empty()) return std::nullopt;
  return fmt::format("{}={}", setting, joined_or(readers));
}

std::optional<std::string> missing_in_decoder(std::string_view objective, std::string_view key) {
  if (!key.starts_with("decoding.")) return std::nullopt;
  const decoding::Decoder decoder = objective_kind(objective).decoder;
  std::vector<std::string> readers;
  for (const ObjectiveKind& kind : objectives())
    for (const auto& [of, keys] : decoder_reads())
      if (of == kind.decoder && reads(keys, key)) {
        if (of == decoder) return std::nullopt;
        readers.emplace_back(kind.name);
      }
  if (readers.empty()) return std::nullopt;
  return "objective.kind=" + joined_or(readers);
}

}  // namespace

std::span<const ObjectiveKind> objective_kinds() { return objectives(); }
std::span<const ArchitectureKind> architecture_kinds() { return architectures(); }
std::span<const PlainKind> optimizer_kinds() { return optimizers(); }
std::span<const PlainKind> schedule_kinds() { return schedules(); }

const ObjectiveKind& objective_kind(std::string_view name) {
  return config::kind_named(objectives(), name, "objective");
}
const ArchitectureKind& architecture_kind(std::string_view name) {
  return config::kind_named(architectures(), name, "architecture");
}
const ArchitectureKind* architecture_of_type(std::string_view model_type) {
  for (const ArchitectureKind& kind : architectures())
    if (kind.model_type == model_type) return &kind;
  return nullptr;
}

std::optional<std::string> missing_for(std::string_view key, const Choices& choices) {
  if (auto missing = missing_in(objectives(), "objective.kind", choices.objective, key))
    return missing;
  // The seed draws forms whatever the decoder.
  if (key == "decoding.seed" && choices.several_forms) return std::nullopt;
  if (auto missing = missing_in_decoder(choices.objective, key)) return missing;
  if (auto missing = missing_in(architectures(), "model.architecture", choices.architecture, key))
    return missing;
  if (auto missing = missing_in(optimizers(), "optimizer.optimizer", choices.optimizer, key))
    return missing;
  if (auto missing = missing_in(schedules(), "optimizer.schedule", choices.schedule, key))
    return missing;
  // Read under a switch as well.
  if ((key == kAlpha || key == kBeta) && !choices.reweight_tokens)
    return "objective.reweight_tokens=true";
  if (key == kShownNoise && !choices.train_shown) return "objective.train_shown=true";
  if (key == "decoding.threshold" && choices.early_stop) return std::nullopt;
  return missing_in(decoding::order_kinds(), "decoding.order", choices.order, key);
}

}  // namespace mgdm::spec
