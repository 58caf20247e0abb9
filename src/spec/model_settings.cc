#include "spec/model_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "spec/kinds.h"

namespace mgdm::spec {

using config::one_of;
using config::range;

void LlamaSettings::visit(config::Visitor& v) {
  v.field("key_value_heads", key_value_heads,
          "heads of keys and values, shared by groups of query heads (0 = as many as heads)",
          range(0, 256));
  v.field("head_size", head_size, "size of a head (0 = width / heads)", range(0, 4096));
  v.field("hidden", hidden,
          "size of the MLP (0 = 8/3 of the width, rounded up to a multiple of 256)",
          range(0, 1 << 20));
  v.field("tied_head", tied_head, "the head is the token embedding");
  v.field("norm_eps", norm_eps, "added to the mean square in RMS norms", range(0, 1));
  v.field("rope_theta", rope_theta, "base of the rotary frequencies", range(1, 1e12));
  v.field("rope_scaling", rope_scaling, "scaling of the rotary frequencies for longer texts",
          one_of({"none", "linear", "llama3"}));
  v.field("rope_factor", rope_factor, "rope_scaling: the factor", range(1, 1e6));
  v.field("rope_low_frequency", rope_low_frequency,
          "llama3: waves longer than rope_original_positions / this are stretched", range(0, 1e6));
  v.field("rope_high_frequency", rope_high_frequency,
          "llama3: waves shorter than rope_original_positions / this are not", range(0, 1e6));
  v.field("rope_original_positions", rope_original_positions,
          "llama3: sequence length of the original training", range(1, 1e9));
}

void LoraSettings::visit(config::Visitor& v) {
  v.field("rank", rank,
          "rank of LoRA: train two matrices of this rank beside each projection, nothing else (0 = "
          "train everything)",
          range(0, 4096));
  v.field("alpha", alpha, "scale of LoRA: the product is multiplied by alpha / rank",
          range(0, 1e6));
  v.field("dropout", dropout, "fraction of LoRA's input dropped in training", range(0, 0.95));
  v.field("base", base, "data type of the frozen matrices", one_of({"bf16", "fp32"}));
}

void ModelSettings::visit(config::Visitor& v) {
  using config::range;
  v.field("architecture", architecture, config::help_of(architecture_kinds()),
          config::one_of(config::names_of(architecture_kinds())));
  v.field("layers", layers, "transformer blocks (shared by all loops)", range(1, 200));
  v.field("heads", heads, "attention heads", range(1, 256));
  v.field("width", width, "size of the hidden state (C)", range(1, 65536));
  v.field("positions", positions, "longest sequence of tokens", range(1, 1 << 20));
  v.field("loops", loops, "looped: number of times that the blocks are applied", range(1, 256));
  v.field("dropout", dropout, "gpt2: fraction of activations dropped in training", range(0, 0.95));
  v.field("causal", causal, "a position sees only those before it (autoregressive models)");
  v.field("shift", shift, "predict position n from hidden state n-1");
  v.field("frozen_embedding", frozen_embedding,
          "looped: tell the network which positions are given (in_place layout)");
  v.field(
      "loop_norm", loop_norm,
      "looped: normalise the residual stream between loops, so that decoding may use more loops "
      "than training");
  v.field("vectors", vectors,
          "gpt2 with objective vdm: size of the noised vector that replaces a token (0: the model "
          "reads tokens)",
          range(0, 4096));
  v.field("vocabulary", vocabulary, "number of tokens", range(6, 1 << 20));
  v.section("llama", llama);
  v.section("lora", lora);
}

std::int64_t ModelSettings::head_size() const {
  return llama.head_size > 0 ? llama.head_size : width / heads;
}

std::int64_t ModelSettings::key_value_heads() const {
  return llama.key_value_heads > 0 ? llama.key_value_heads : heads;
}

std::int64_t ModelSettings::hidden() const {
  constexpr std::int64_t kMultiple = 256;
  if (llama.hidden > 0) return llama.hidden;
  return (8 * width / 3 + kMultiple - 1) / kMultiple * kMultiple;
}

namespace {

void check_llama(const ModelSettings& settings) {
  if (!settings.causal)
    throw UsageError("a llama model with causal = false", "causal = true, shift = true");
  if (settings.head_size() % 2 != 0)
    throw UsageError(fmt::format("heads of size {}", settings.head_size()),
                     "an even size: rotary positions turn numbers two by two");
  if (settings.heads % settings.key_value_heads() != 0)
    throw UsageError(fmt::format("heads {} and llama.key_value_heads {}", settings.heads,
                                 settings.key_value_heads()),
                     "heads that are a multiple of key_value_heads");
  const LlamaSettings& llama = settings.llama;
  if (llama.rope_scaling == "llama3" && llama.rope_low_frequency >= llama.rope_high_frequency)
    throw UsageError(fmt::format("llama.rope_low_frequency {} and llama.rope_high_frequency {}",
                                 llama.rope_low_frequency, llama.rope_high_frequency),
                     "a lower one and a higher one");
}

}  // namespace

void check(const ModelSettings& settings) {
  const bool llama = architecture_kind(settings.architecture).family == Family::kLlama;
  if (llama) check_llama(settings);
  if (!llama && settings.lora.rank > 0)
    throw UsageError(fmt::format("lora.rank {} with architecture {}", settings.lora.rank,
                                 in_quotes(settings.architecture)),
                     "architecture = llama, or lora.rank = 0");
  if (!(llama && settings.llama.head_size > 0) && settings.width % settings.heads != 0)
    throw UsageError(fmt::format("width {} and heads {}", settings.width, settings.heads),
                     "a width that is a multiple of heads");
  if (settings.causal && !settings.shift)
    throw UsageError("a causal model without shift would be shown the token it predicts",
                     "shift = true with causal = true");
  if (settings.frozen_embedding && !architecture_kind(settings.architecture).loops)
    throw UsageError(
        fmt::format("architecture {} with frozen_embedding", in_quotes(settings.architecture)),
        "frozen_embedding = false");
  const Keys& keys = architecture_kind(settings.architecture).reads;
  const bool reads_vectors = std::ranges::find(keys, "model.vectors") != keys.end();
  if (settings.vectors > 0 && (!reads_vectors || settings.causal))
    throw UsageError(
        fmt::format("a {}{} network that reads vectors of {} numbers",
                    settings.causal ? "causal " : "", settings.architecture, settings.vectors),
        "vectors = 0, or architecture = \"gpt2\" with causal = false");
  if (settings.causal && settings.frozen_embedding)
    throw UsageError("a causal model with frozen_embedding",
                     "frozen_embedding = false: a causal model reads what is given first");
}

void check(const ModelSettings& settings, const ObjectiveKind& objective) {
  const std::string_view kind = objective.name;
  if (settings.causal != objective.causal)
    throw UsageError(
        fmt::format("objective.kind = {} with model.causal = {}", kind, settings.causal),
        fmt::format("model.causal={} for {}", objective.causal, kind));
  const bool vectors = objective.noise == Noise::kGaussian;
  if ((settings.vectors > 0) != vectors)
    throw UsageError(
        fmt::format("objective.kind = {} with model.vectors = {}", kind, settings.vectors),
        vectors ? "model.vectors=16, or another width of its tokens' vectors"
                : fmt::format("model.vectors=0: {} shows tokens", kind));
}

}  // namespace mgdm::spec
