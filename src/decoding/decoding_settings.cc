#include "decoding/decoding_settings.h"

#include <fmt/format.h>

#include "base/error.h"
#include "config/kinds.h"
#include "decoding/orders.h"

namespace mgdm::decoding {

void DecodingSettings::visit(config::Visitor& v, std::string_view order_key) {
  using config::at_least;
  using config::one_of;
  using config::range;
  v.field("steps", steps, "largest number of forward passes per answer (denoising steps)",
          range(1, 10000));
  v.field(order_key, order, "order in which tokens are revealed: " + config::help_of(order_kinds()),
          one_of(config::names_of(order_kinds())));
  v.field("schedule", schedule,
          "topk, margin: how the fraction of masked tokens falls over the steps",
          one_of({"linear", "cosine"}));
  v.field(
      "revise", revise,
      "revealed tokens are predicted again (on), kept until masked again (remask) or kept (off)",
      one_of({"auto", "on", "remask", "off"}));
  v.field("noise", noise, "topk, margin: Gumbel noise on the scores; 0 is deterministic",
          range(0, 1e6));
  v.field("temperature", temperature,
          "sample from softmax(logits / temperature); 0 takes the most probable token",
          range(0, 100));
  v.field("threshold", threshold, "confidence above which a token counts as certain", range(0, 1));
  v.field("entropy_bound", entropy_bound, "entropy: most nats of entropy revealed in one step",
          at_least(0));
  v.field("early_stop", early_stop, "stop when two passes agree and every token is certain");
  v.field("loops", loops, "looped models: loops per pass (0 = as in training)", range(0, 256));
  v.field("symmetries", symmetries,
          "solve N symmetric variants of the puzzle and return the majority answer",
          range(1, kMostSymmetries));
  v.field("tries", tries,
          "retry up to N times on a symmetric variant of the puzzle until the answer verifies",
          range(1, 10000));
  v.field("seed", seed, "seed of the noise and of the symmetric variants", at_least(0));
}

DecodingSettings DecodingSettings::resolved(bool revision_is_sound) const {
  DecodingSettings settings = *this;
  if (revise == "auto")
    settings.revise = order_kind(order).by_score && revision_is_sound ? "on" : "off";
  return settings;
}

void DecodingSettings::check_tries() const {
  if (tries == 1 || stochastic()) return;
  const std::string asked = fmt::format("{} tries that would all give the same answer", tries);
  if (decoder == Decoder::kLeftToRight)
    throw UsageError(asked, "one: a model that answers left to right has one answer to this form");
  throw UsageError(asked, "noise in the order topk or margin, the order random, or a temperature",
                   "--temperature 0.5");
}

bool DecodingSettings::masks_again() const {
  return order_kind(order).by_score && (revise == "on" || revise == "remask");
}

bool DecodingSettings::stochastic() const {
  switch (decoder) {
    case Decoder::kLeftToRight:
      return false;
    case Decoder::kMultinomial:
    case Decoder::kAncestral:
      return true;
    case Decoder::kOnePass:
      return samples_tokens();
    case Decoder::kDiffusion:
      break;
  }
  const OrderKind& kind = order_kind(order);
  return kind.random || samples_tokens() || (kind.by_score && noise > 0);
}

}  // namespace mgdm::decoding
