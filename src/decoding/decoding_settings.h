// How an answer is decoded, as recipes and command lines say it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace mgdm::decoding {

constexpr std::int64_t kMostSymmetries = 256;

// How an answer is drawn from the network.
enum class Decoder {
  kLeftToRight,  // token by token
  kOnePass,      // all at once
  kDiffusion,    // from all [MASK], in an order
  kMultinomial,  // from random tokens, by the posterior of the noise
  kAncestral,    // from random vectors, the same
};

struct DecodingSettings {
  std::int64_t steps = 20;          // T, the most passes
  std::string order = "topk";       // which positions are shown first: see decoding/orders.h
  std::string schedule = "linear";  // topk, margin: how many stay masked after each pass
  std::string revise = "auto";      // what becomes of shown tokens: see decoding/diffusion.h
  double noise = 0.5;               // topk, margin: scale of the Gumbel noise on scores
  double temperature = 0;           // 0: the likeliest token, as in the paper; see samples_tokens
  double threshold = 0.9;           // a confidence above it counts as sure
  double entropy_bound = 0.1;       // entropy: nats that the positions shown at once may have
  bool early_stop = false;
  std::int64_t loops = 0;       // looped models: loops per pass; 0 = as trained
  std::int64_t symmetries = 1;  // views of the puzzle that vote: see inference/solver.h
  std::int64_t tries = 1;       // until an answer verifies: see inference/solver.h
  std::int64_t seed = 1;
  Decoder decoder = Decoder::kDiffusion;  // not a setting: the model's kind decides it

  // Command lines say --decoding for what a recipe's [decoding] calls order.
  void visit(config::Visitor& v, std::string_view order_key = "order");

  // revise = auto becomes on or off. Only topk and margin revise by default, and only with a
  // network whose predictions at shown positions mean something: one with shifted logits, or one
  // trained on shown positions too.
  DecodingSettings resolved(bool revision_is_sound) const;

  // Tokens are drawn from softmax(logits / temperature), at temperature 1 too.
  bool samples_tokens() const { return temperature > 0; }

  // Shown tokens may be masked again in a later pass.
  bool masks_again() const;

  // A puzzle may be decoded in several forms, which the seed draws.
  bool several_forms() const { return symmetries > 1 || tries > 1; }

  // Another seed can give another answer.
  bool stochastic() const;

  // UsageError when there are several tries that would all give the same answer.
  void check_tries() const;

  bool operator==(const DecodingSettings&) const = default;
};

}  // namespace mgdm::decoding
