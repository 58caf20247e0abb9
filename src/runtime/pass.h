// One pass through a transformer: tokens in, logits out.
//
// What goes through together are stretches of sequences, position behind position. Every position
// is its own affair but in attention, where it reads the keys and values of its sequence. So each
// member of a team takes a share of the positions, keeps them in its own cache from the first block
// to the last, and meets the others once in every block: when all keys and values are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/vocabulary.h"
#include "runtime/activations.h"
#include "runtime/kernels.h"
#include "runtime/keys_and_values.h"
#include "runtime/team.h"
#include "runtime/transformer.h"

namespace mgdm::runtime {

// Keys and values of a sequence: of every block and loop, if they are to be read in a later pass;
// otherwise two, which the blocks use in turn. (Two, because a member may already write its keys
// for the next block while another still reads those of this one.)
using Memory = std::vector<KeysAndValues>;

struct Stretch {
  std::span<const data::Token> tokens;  // at least one
  const std::uint8_t* given = nullptr;  // for each token 1 when it is given, else 0; null: all 0
  std::size_t first = 0;                // the position of the first; the memory holds those before
  Memory* memory = nullptr;
  float* logits = nullptr;  // (tokens, V), about each token; or (V), about the next one
  bool about_next = false;
};

// Of all of them together.
std::size_t positions_of(std::span<const Stretch> stretches);

// Where a pass computes, kept for the next.
struct Workspace {
  Activations x, e, normed, qkv, hidden;  // (M, C), (M, C), (M, C), (M, 3C), (M, 4C)
  struct Own {
    Array<float> scores;
    Scratch scratch;
  };
  std::vector<Own> own;  // of each member

  void reserve(const Transformer& network, std::span<const Stretch> stretches, int members);
};

// The share of one of `members`, who all call it with the same arguments. A team of one needs no
// meetings and may be null.
struct Share {
  int member = 0, members = 1;
  Team* team = nullptr;
};
void run_pass(const Transformer& network, std::size_t loops, std::span<const Stretch> stretches,
              Workspace& work, const Share& share);

}  // namespace mgdm::runtime
