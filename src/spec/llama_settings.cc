#include "spec/llama_settings.h"

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
  v.field("norm_eps", norm_eps, "of RMS norms", range(0, 1));
  v.field("rope_theta", rope_theta, "base of the rotary positions' frequencies", range(1, 1e12));
  v.field("rope_scaling", rope_scaling, "how frequencies are stretched for longer texts",
          one_of({"none", "linear", "llama3"}));
  v.field("rope_factor", rope_factor, "rope_scaling: by how much", range(1, 1e6));
  v.field("rope_low_frequency", rope_low_frequency,
          "llama3: waves longer than rope_original_positions / this are stretched", range(0, 1e6));
  v.field("rope_high_frequency", rope_high_frequency,
          "llama3: waves shorter than rope_original_positions / this are not", range(0, 1e6));
  v.field("rope_original_positions", rope_original_positions,
          "llama3: the length that it was trained on at first", range(1, 1e9));
}

void LoraSettings::visit(config::Visitor& v) {
  v.field("rank", rank,
          "train two matrices of this rank beside each projection, nothing else (0 = train "
          "everything)",
          range(0, 4096));
  v.field("alpha", alpha, "their product counts alpha / rank", range(0, 1e6));
  v.field("dropout", dropout, "fraction of their input dropped in training", range(0, 0.95));
  v.field("base", base, "what the frozen matrices are kept in", one_of({"bf16", "fp32"}));
}

}  // namespace mgdm::spec
