// One pass through a transformer: tokens in, logits out.
//
// A pass computes stretches of sequences together. Positions are independent except in attention,
// where each reads the keys and values of its sequence. So each member of a team takes a share of
// the positions, keeps them in its own cache from the first block to the last, and meets the others
// once per block, when all keys and values are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/vocabulary.h"
#include "runtime/kernels.h"
#include "runtime/team.h"
#include "runtime/transformer.h"

namespace mgdm::runtime {

// The keys and values of one sequence in one layer, in the layout of attention's two matmuls
// (product.h): scores = queries K^T, mixed = weights V. Heads H of size D, P columns to a panel.
class KeysAndValues {
 public:
  KeysAndValues(std::size_t heads, std::size_t head_size, std::size_t most_positions);

  // Stores the keys and values of a position, H D numbers each. Threads may set different positions
  // at the same time.
  void set(std::size_t position, const float* keys, const float* values);

  // K^T (D, count) and V (count, D) of a head and the first `count` positions.
  Panels keys(std::size_t head, std::size_t count) const;
  Panels values(std::size_t head, std::size_t count) const;

 private:
  std::size_t heads_, size_, most_, wide_;
  std::size_t value_panels_;  // of a head
  Array<float> keys_,
      values_;  // [position / P][head][d][position % P]; [head][d / P][position][d % P]
};

// The keys and values of a sequence: of every block and loop if a later pass reads them; otherwise
// two, which the blocks use in turn, because a member may write the keys of the next block while
// another still reads those of this one.
using Memory = std::vector<KeysAndValues>;

struct Stretch {
  std::span<const data::Token> tokens;  // at least one
  const std::uint8_t* given = nullptr;  // for each token 1 when it is given, else 0; null: all 0
  std::size_t first = 0;                // the position of the first; the memory holds those before
  Memory* memory = nullptr;
  float* logits = nullptr;  // (tokens, V), about each token; or (V), about the next one
  bool about_next = false;
};

// The positions of all stretches together.
std::size_t positions_of(std::span<const Stretch> stretches);

// The buffers of a pass, kept for the next.
struct Workspace {
  Activations x, e, normed, qkv, hidden;  // (M, C), (M, C), (M, C), (M, 3C), (M, 4C)
  struct Own {
    Array<float> scores;
    Scratch scratch;
  };
  std::vector<Own> own;  // of each member

  void reserve(const Transformer& network, std::span<const Stretch> stretches, int members);
};

// The share of one of `members`; all members call it with the same arguments. With one member
// `team` may be null.
struct Share {
  int member = 0, members = 1;
  Team* team = nullptr;
};
void run_pass(const Transformer& network, std::size_t loops, std::span<const Stretch> stretches,
              Workspace& work, const Share& share);

}  // namespace mgdm::runtime
