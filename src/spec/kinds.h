// The table of kinds: what an objective, an architecture, an optimiser is, and which settings it
// reads. Choices, help, refusals and what the rest of the program asks about a kind come from here.
// A new kind is a row in kinds.cc and the file that computes it. Orders of decoding have a table of
// their own, decoding/orders.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/kinds.h"
#include "decoding/decoding_settings.h"

namespace mgdm::spec {

using config::Keys;

// What becomes of an answer's tokens before the network sees them.
enum class Noise {
  kNone,      // shown as they are; a causal network predicts each from those before it
  kHidden,    // all of them hidden, always
  kMask,      // some become [MASK] (absorbing)
  kUniform,   // some are drawn anew from all tokens (multinomial)
  kGaussian,  // all become vectors, drowned more or less in normal noise
};

struct ObjectiveKind {
  std::string_view name, about;
  bool causal;  // its network sees no later token; the others must see all
  Noise noise;
  decoding::Decoder decoder;
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

// A choice without properties of its own.
struct PlainKind {
  std::string_view name, about;
  Keys reads;
};

std::span<const ObjectiveKind> objective_kinds();
std::span<const ArchitectureKind> architecture_kinds();
std::span<const PlainKind> optimizer_kinds();
std::span<const PlainKind> schedule_kinds();  // of the learning rate

// The row of a name. UsageError for an unknown one.
const ObjectiveKind& objective_kind(std::string_view name);
const ArchitectureKind& architecture_kind(std::string_view name);
const ArchitectureKind* architecture_of_type(std::string_view model_type);  // null when unknown

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
