// The one table of kinds: what an objective, an architecture, an order of decoding is, and which
// settings it reads. Choices, help, refusals and what the rest of the program asks about a kind
// come from here. A new kind is a row in kinds.cc and the file that computes it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::spec {

using Keys = std::vector<std::string_view>;  // settings as a recipe names them: "objective.beta"

// What becomes of an answer's tokens before the network sees them.
enum class Noise {
  kNone,      // shown as they are; a causal network predicts each from those before it
  kHidden,    // all of them hidden, always
  kMask,      // some become [MASK] (absorbing)
  kUniform,   // some are drawn anew from all tokens (multinomial)
  kGaussian,  // all become vectors, drowned more or less in normal noise
};

// How an answer is drawn from the network.
enum class Decoder {
  kLeftToRight,  // token by token
  kOnePass,      // all at once
  kDiffusion,    // from all [MASK], in an order
  kMultinomial,  // from random tokens, by the posterior of the noise
  kAncestral,    // from random vectors, the same
};

struct ObjectiveKind {
  std::string_view name, about;
  bool causal;  // its network sees no later token; the others must see all
  Noise noise;
  Decoder decoder;
  std::string_view sequence_weight;  // that it has by definition; empty where settings choose
  Keys reads;
};

// What its tensors are called and how they lie in files.
enum class Family {
  kGpt2,    // Hugging Face's GPT-2: (in, out) matrices, tied head
  kLooped,  // ours
  kLlama,   // Hugging Face's LLaMA, (out, in) matrices; tokens may be those of a tokenizer
};

struct ArchitectureKind {
  std::string_view name, about;
  std::string_view model_type;  // in config.json
  bool loops;                   // its blocks are applied several times
  Family family;
  Keys reads;
};

// In which order positions are shown: decoding/orders.h.
struct OrderKind {
  std::string_view name, about;
  bool by_score;  // masks the lowest scores, so that a shown position can be masked again
  bool random;    // draws even without noise
  Keys reads;
};

// A choice without properties of its own.
struct PlainKind {
  std::string_view name, about;
  Keys reads;
};

std::span<const ObjectiveKind> objective_kinds();
std::span<const ArchitectureKind> architecture_kinds();
std::span<const OrderKind> order_kinds();
std::span<const PlainKind> optimizer_kinds();
std::span<const PlainKind> schedule_kinds();  // of the learning rate

// The row of a name. UsageError for an unknown one.
const ObjectiveKind& objective_kind(std::string_view name);
const ArchitectureKind& architecture_kind(std::string_view name);
const ArchitectureKind* architecture_of_type(std::string_view model_type);  // null when unknown
const OrderKind& order_kind(std::string_view name);

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return names;
}

// "topk: the least probable positions stay masked; random: ...", for help.
template <class Kinds>
std::string help_of(const Kinds& kinds) {
  std::string text;
  for (const auto& kind : kinds)
    text += std::string(text.empty() ? "" : "; ") + std::string(kind.name) + ": " +
            std::string(kind.about);
  return text;
}

// What was chosen of everything that decides whether another setting counts.
struct Choices {
  std::string objective, architecture, order, optimizer, schedule;
  bool reweight_tokens = true, train_shown = true, early_stop = true;
  bool several_forms = true;  // of a puzzle: they vote, or are tried
};

// What a setting ("decoding.noise") would need in order to count under these choices; none when it
// counts.
std::optional<std::string> missing_for(std::string_view key, const Choices& choices);

}  // namespace mgdm::spec
