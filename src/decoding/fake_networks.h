// Networks without weights, behind the real interface: decoders, evaluators and servers are tested
// with them. Each row's logits depend on that row alone, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoding/network.h"

namespace mgdm::decoding {

// Any function as a network: logits (N, V) of one row.
class FunctionNetwork : public Network {
 public:
  using OfRow = std::function<void(std::span<const data::Token> tokens,
                                   std::span<const std::uint8_t> frozen, std::span<float> logits)>;
  FunctionNetwork(std::size_t vocabulary, OfRow of_row)
      : vocabulary_(vocabulary), of_row_(std::move(of_row)) {}

  std::size_t vocabulary() const override { return vocabulary_; }
  void logits(const Rows& rows, std::int64_t loops, std::span<float> logits) override;

 private:
  std::size_t vocabulary_;
  OfRow of_row_;
};

// Logits uniform over [0, scale), drawn anew for every different row of tokens. With `distinct` > 0
// only that many positions have logits of their own, the others repeat them: their scores tie.
FunctionNetwork random_network(std::uint64_t seed, std::size_t vocabulary, double scale = 4,
                               std::size_t distinct = 0);

// Knows the right answers and how difficult each position is, (K, N) each. A row is about the first
// answer that agrees with all its frozen tokens; where none does, all tokens are alike to it. A
// position of difficulty d is predicted right, with probability near 1, once at least d of the
// diffused positions show their right token, and wrong with low probability before: so easy
// positions must come first. Both probabilities fall a little from left to right, so that no two
// positions tie.
FunctionNetwork oracle_network(std::vector<std::vector<data::Token>> answers,
                               std::vector<std::vector<int>> difficulty, std::size_t vocabulary);

// Gives recorded logits, (B, N, V) per call; the last ones again when they run out.
class ReplayNetwork : public Network {
 public:
  ReplayNetwork(std::size_t vocabulary, std::vector<std::vector<float>> logits);

  std::size_t vocabulary() const override { return vocabulary_; }
  void logits(const Rows& rows, std::int64_t loops, std::span<float> logits) override;

 private:
  std::size_t vocabulary_, calls_ = 0;
  std::vector<std::vector<float>> logits_;
};

// Reads from left to right: logits about token n are uniform over [0, scale), drawn anew for every
// different beginning of n tokens. It has read nothing twice: tokens_read() counts them.
class CausalNetwork : public Network {
 public:
  CausalNetwork(std::uint64_t seed, std::size_t vocabulary, double scale = 4)
      : seed_(seed), vocabulary_(vocabulary), scale_(scale) {}

  std::size_t vocabulary() const override { return vocabulary_; }
  bool causal() const override { return true; }
  void logits(const Rows& rows, std::int64_t loops, std::span<float> logits) override;
  std::unique_ptr<Sequence> start(std::int64_t loops) override;
  void next_logits(std::span<const Reading> readings, std::span<float> logits) override;

  std::size_t tokens_read() const { return tokens_read_; }

 private:
  std::uint64_t seed_;
  std::size_t vocabulary_;
  double scale_;
  std::size_t tokens_read_ = 0;
};

}  // namespace mgdm::decoding
