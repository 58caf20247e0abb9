#include "spec/tensors.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "spec/kinds.h"

namespace mgdm::spec {
namespace {

using Shape = std::vector<std::int64_t>;

// VDM's noise schedule begins as in Plaid (Gulrajani and Hashimoto, 2023).
constexpr double kFirstGamma = -3, kLastGamma = 6;
constexpr std::int64_t kGammaBins = 32;

// What VDM adds to a network, and learns itself: nn/vector_reader.h and objectives/vdm_schedule.h
// say what they are. The prefix is that of all tensors in GPT-2's files.
void add_vdm_tensors(const ModelSettings& settings, std::vector<TensorSpec>& list) {
  constexpr double kStd = 0.02;
  const std::int64_t width = settings.width;
  const auto add = [&](const char* name, Shape shape, Init init) {
    list.push_back({std::string("transformer.vdm.") + name, std::move(shape), init});
  };
  add("tokens", {settings.vocabulary, settings.vectors}, {.std = 1});
  add("gamma.first", {1}, {.constant = kFirstGamma});
  add("gamma.log_range", {1}, {.constant = std::log(kLastGamma - kFirstGamma)});
  add("gamma.density", {kGammaBins}, {});
  add("input", {width, settings.vectors}, {kStd});
  add("guess", {width, settings.vectors}, {});
  add("level.up.weight", {width, kLevelFeatures}, {kStd});
  add("level.up.bias", {width}, {});
  add("level.down.weight", {width, width}, {kStd});
  add("level.down.bias", {width}, {});
}

std::vector<TensorSpec> gpt2_tensors(const ModelSettings& settings) {
  constexpr double kStd = 0.02;
  // Residual outputs start smaller the more of them add up: 0.02 / sqrt(2 layers).
  const double residual_std = kStd / std::sqrt(2.0 * static_cast<double>(settings.layers));
  const std::int64_t width = settings.width;
  std::vector<TensorSpec> list;
  const auto norm = [&](const std::string& name) {
    list.push_back({name + ".weight", {width}, {.constant = 1}});
    list.push_back({name + ".bias", {width}, {}});
  };
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out, double std) {
    list.push_back({name + ".weight", {out, in}, {std}, Role::kMatrix});
    list.push_back({name + ".bias", {out}, {}});
  };
  list.push_back({"transformer.wte.weight", {settings.vocabulary, width}, {kStd}});
  list.push_back({"transformer.wpe.weight", {settings.positions, width}, {kStd}});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string block = fmt::format("transformer.h.{}.", i);
    norm(block + "ln_1");
    linear(block + "attn.c_attn", width, 3 * width, kStd);
    linear(block + "attn.c_proj", width, width, residual_std);
    norm(block + "ln_2");
    linear(block + "mlp.c_fc", width, 4 * width, kStd);
    linear(block + "mlp.c_proj", 4 * width, width, residual_std);
  }
  norm("transformer.ln_f");
  if (settings.vectors > 0) add_vdm_tensors(settings, list);
  return list;
}

std::vector<TensorSpec> looped_tensors(const ModelSettings& settings) {
  constexpr double kEmbeddingStd = 0.5;
  const std::int64_t width = settings.width;
  const double std = 0.5 / std::sqrt(static_cast<double>(width));
  std::vector<TensorSpec> list;
  list.push_back({"embed.tokens", {settings.vocabulary, width}, {kEmbeddingStd}});
  list.push_back({"embed.positions", {settings.positions, width}, {kEmbeddingStd}});
  if (settings.frozen_embedding) list.push_back({"embed.frozen", {2, width}, {kEmbeddingStd}});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const auto matrix = [&](const char* name, Shape shape, Init init) {
      list.push_back({fmt::format("blocks.{}.{}", i, name), std::move(shape), init, Role::kMatrix});
    };
    matrix("qkv", {3 * width, width}, {std});
    matrix("projection", {width, width}, {});
    matrix("up", {4 * width, width}, {std});
    matrix("down", {width, 4 * width}, {});
  }
  list.push_back({"head", {settings.vocabulary, width}, {}});
  return list;
}

std::vector<TensorSpec> llama_tensors(const ModelSettings& settings) {
  constexpr double kStd = 0.02;
  const std::int64_t width = settings.width, hidden = settings.hidden();
  const std::int64_t queries = settings.heads * settings.head_size();
  const std::int64_t keys = settings.key_value_heads() * settings.head_size();
  const bool frozen = settings.lora.rank > 0;
  const bool half = frozen && settings.lora.base == "bf16";
  std::vector<TensorSpec> list;
  const auto other = [&](const std::string& name, Shape shape, Init init) {
    list.push_back({name + ".weight", std::move(shape), init, Role::kOther, frozen});
  };
  const auto matrix = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    list.push_back({name + ".weight", {out, in}, {kStd}, Role::kMatrix, frozen, half});
  };
  other("model.embed_tokens", {settings.vocabulary, width}, {kStd});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string block = fmt::format("model.layers.{}.", i);
    matrix(block + "self_attn.q_proj", queries, width);
    matrix(block + "self_attn.k_proj", keys, width);
    matrix(block + "self_attn.v_proj", keys, width);
    matrix(block + "self_attn.o_proj", width, queries);
    matrix(block + "mlp.gate_proj", hidden, width);
    matrix(block + "mlp.up_proj", hidden, width);
    matrix(block + "mlp.down_proj", width, hidden);
    other(block + "input_layernorm", {width}, {.constant = 1});
    other(block + "post_attention_layernorm", {width}, {.constant = 1});
  }
  other("model.norm", {width}, {.constant = 1});
  if (!settings.llama.tied_head) other("lm_head", {settings.vocabulary, width}, {kStd});
  return list;
}

std::int64_t numbers_in(const TensorSpec& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1},
                         std::multiplies<>());
}

}  // namespace

std::vector<TensorSpec> tensors_of(const ModelSettings& settings) {
  switch (architecture_kind(settings.architecture).family) {
    case Family::kGpt2:
      return gpt2_tensors(settings);
    case Family::kLooped:
      return looped_tensors(settings);
    case Family::kLlama:
      return llama_tensors(settings);
  }
  check_failed("a known family", __FILE__, __LINE__);
}

std::vector<TensorSpec> lora_tensors_of(const ModelSettings& settings) {
  const std::int64_t rank = settings.lora.rank;
  std::vector<TensorSpec> list;
  if (rank == 0) return list;
  constexpr std::string_view kEnd = ".weight";
  for (const TensorSpec& tensor : tensors_of(settings)) {
    if (tensor.role != Role::kMatrix) continue;
    const std::string name = tensor.name.substr(0, tensor.name.size() - kEnd.size());
    const std::int64_t out = tensor.shape[0], in = tensor.shape[1];
    // As PEFT has them: A's numbers have the variance 1 / (3 in), B starts at zero.
    list.push_back({name + ".lora_A.weight",
                    {rank, in},
                    {1 / std::sqrt(3.0 * static_cast<double>(in))},
                    Role::kMatrix});
    list.push_back({name + ".lora_B.weight", {out, rank}, {}, Role::kMatrix});
  }
  return list;
}

std::int64_t parameter_count(const ModelSettings& settings) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : tensors_of(settings)) count += numbers_in(tensor);
  for (const TensorSpec& tensor : lora_tensors_of(settings)) count += numbers_in(tensor);
  return count;
}

std::int64_t trained_count(const ModelSettings& settings) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : tensors_of(settings))
    if (!tensor.frozen) count += numbers_in(tensor);
  for (const TensorSpec& tensor : lora_tensors_of(settings)) count += numbers_in(tensor);
  return count;
}

}  // namespace mgdm::spec
