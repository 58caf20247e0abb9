// A transformer as weights and switches that cover GPT-2 and the looped network. A row of
// activations is one position; C is the width, H the number of heads, V of tokens.
//
//   e = tokens[token] + positions[n] (+ given[0 or 1]);  x = e
//   for each loop:
//     after the first:  x += e,  or with loop_norm  x = norm(x) + e
//     for each block:   x += projection(attention(qkv(norm(x))));  x += down(act(up(norm(x))))
//   logits = head(norm(x))
//
// GPT-2 has one loop, layer norms and biases; the looped network RMS norms, no biases, and queries
// and keys that are normalised per head.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/kernels.h"
#include "runtime/weight_matrix.h"

namespace mgdm::runtime {

// A layer norm; without weight and bias an RMS norm.
struct Norm {
  Array<float> weight, bias;  // (C) or empty
  float eps = 0;
};

struct Linear {
  WeightMatrix weight;
  Array<float> bias;  // (out) or empty
};

struct Block {
  Norm before_attention;
  Linear qkv, projection;  // (3C, C), (C, C)
  Norm before_mlp;
  Linear up, down;  // (4C, C), (C, 4C)
};

struct Transformer {
  std::size_t width = 0, heads = 0, vocabulary = 0, positions = 0;
  bool looped = false;     // a pass may use another number of loops than
  std::size_t loops = 1;   // in training
  bool causal = false;     // a position attends to those up to itself
  bool shift = false;      // logits of position n come from position n-1
  bool loop_norm = false;  // see above
  float attention_scale = 1;
  float head_norm_eps = 0;  // above 0: queries and keys get an RMS norm per head
  Activation activation = Activation::kNone;

  Table token_table, position_table, given_table;  // (V, C) or empty, (P, C), (2, C) or empty
  std::vector<Block> blocks;
  Norm last_norm;
  Linear head;  // (V, C); without a token table, that too

  std::size_t head_size() const { return width / heads; }
};

}  // namespace mgdm::runtime
