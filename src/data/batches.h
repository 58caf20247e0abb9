// Batches of a mixture in deterministic shuffled epochs, made ahead of time in the background.
//
// The shuffled epochs of a source form one endless sequence of items, and the mixture interleaves
// the sequences of its sources. Batch `step` is places step*B .. step*B + B-1 of the result. So
// every batch is full, a batch is a pure function of (seed, step), and training can resume at any
// step. An item that occurs twice in a batch (at the end of an epoch, or in a dataset smaller than
// a batch) gets the same noise both times, because draws depend on item and step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/parallel.h"
#include "data/mixture.h"

namespace mgdm::data {

// The order of an epoch of a mixture's part: a permutation of 0..size-1.
std::vector<std::uint32_t> epoch_order(std::size_t size, std::uint64_t seed, std::uint32_t epoch,
                                       std::uint32_t part = 0);

struct Batch {  // or a share of one
  std::uint64_t step = 0;
  Rows rows;                          // items by Mixture::key
  std::vector<std::uint32_t> epochs;  // (B) in which epoch of its source each example is
};

// Rows begin..end-1 of every batch: the share of one of several processes.
struct Share {
  std::size_t begin = 0, end = 0;
};

// Part `part` of a batch that is divided into `parts` of nearly the same size.
Share share_of(std::size_t batch_size, std::size_t part, std::size_t parts);

class Batches {
 public:
  // The mixture must outlive the batches. `threads` work in the background (at least one).
  Batches(const Mixture& mixture, std::size_t batch_size, std::uint64_t seed,
          std::uint64_t first_step = 0, int threads = 1);
  // Only a share of each batch is made.
  Batches(const Mixture& mixture, std::size_t batch_size, Share share, std::uint64_t seed,
          std::uint64_t first_step = 0, int threads = 1);

  // Batch first_step, first_step + 1, ...
  Batch next() { return work_.next(); }

 private:
  using Order = std::shared_ptr<const std::vector<std::uint32_t>>;

  Batch make(std::uint64_t step);
  Order order(std::size_t part, std::uint32_t epoch);

  const Mixture& mixture_;
  const std::size_t batch_size_;
  const Share share_;
  const std::uint64_t seed_;
  std::mutex mutex_;  // guards orders_: by part the epochs in use, newest last
  std::vector<std::vector<std::pair<std::uint32_t, Order>>> orders_;
  OrderedWork<Batch> work_;
};

}  // namespace mgdm::data
