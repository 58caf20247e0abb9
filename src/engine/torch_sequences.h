// Sequences of a causal LibTorch model, read from left to right, many in one call.
//
// Sequences of equal length share a cache of keys and values, one row each: a cohort. They stay
// together as long as their lengths stay equal.
#pragma once

#include <memory>
#include <span>

#include "decoding/network.h"
#include "nn/model.h"

namespace mgdm::engine {

struct Cohort {
  nn::Cache cache;
  std::int64_t rows = 0;   // of the cache, including those of finished sequences
  std::int64_t alive = 0;  // sequences
};

class TorchSequence : public decoding::Sequence {
 public:
  TorchSequence() = default;
  ~TorchSequence() override { join(nullptr, 0); }
  TorchSequence(const TorchSequence&) = delete;
  TorchSequence& operator=(const TorchSequence&) = delete;

  void join(std::shared_ptr<Cohort> cohort, std::int64_t row);

  const std::shared_ptr<Cohort>& cohort() const { return cohort_; }  // null: nothing was read
  std::int64_t row() const { return row_; }

 private:
  std::shared_ptr<Cohort> cohort_;
  std::int64_t row_ = 0;
};

// As decoding::Network::next_logits() has it.
void read_on(nn::Model& model, std::span<const decoding::Reading> readings,
             std::span<float> logits);

}  // namespace mgdm::engine
