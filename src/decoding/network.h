// What a decoder asks of a network, and all that it knows of one.
//
// A network reads rows of tokens with [MASK] at hidden positions and gives logits about each
// position; a causal one can also read on from where it stopped. Decoders put the rows of many
// callers into one call, so the logits of a row may depend on that row alone, up to rounding.
//
//   std::vector<float> logits(rows.count * rows.length * network.vocabulary());
//   network.logits(rows, /*loops=*/0, logits);
//
// Threads: one call at a time per network, whatever threads it uses inside; different networks are
// independent. Spans are read and written during the call only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "data/rows.h"
#include "data/vocabulary.h"

namespace mgdm::decoding {

using Rows = data::RowsView;  // tokens with [MASK] at hidden positions

// What a causal network remembers of one sequence (keys and values, say). Made by Network::start,
// used with that network only, gone before it.
class Sequence {
 public:
  virtual ~Sequence() = default;
};

// The tokens that follow what `sequence` has read already; at least one.
struct Reading {
  Sequence* sequence = nullptr;
  std::span<const data::Token> tokens;
};

class Network {
 public:
  virtual ~Network() = default;

  virtual std::size_t vocabulary() const = 0;  // V
  virtual bool causal() const { return false; }

  // Logits (B, N, V), position n about token n. `loops` is how often a looped network goes through
  // its layers, 0 as often as it was trained to; others ignore it.
  virtual void logits(const Rows& rows, std::int64_t loops, std::span<float> logits) = 0;

  // Causal networks only: a sequence of which nothing has been read ...
  virtual std::unique_ptr<Sequence> start(std::int64_t loops);

  // ... and logits (B, V) about the token after each of B readings, which may differ in length. No
  // sequence comes twice in one call. When it throws, its sequences can only be dropped.
  virtual void next_logits(std::span<const Reading> readings, std::span<float> logits);
};

}  // namespace mgdm::decoding
