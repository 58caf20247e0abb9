#include "data/batches.h"

#include <limits>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/random.h"

namespace mgdm::data {

std::vector<std::uint32_t> epoch_order(std::size_t size, std::uint64_t seed, std::uint32_t epoch) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  Stream(seed, Purpose::kShuffle, epoch).shuffle(std::span<std::uint32_t>(order));
  return order;
}

Share share_of(std::size_t batch_size, std::size_t part, std::size_t parts) {
  return {batch_size * part / parts, batch_size * (part + 1) / parts};
}

Batches::Batches(const EncodedDataset& dataset, std::size_t batch_size, std::uint64_t seed,
                 std::uint64_t first_step, int threads, Augment augment)
    : Batches(dataset, batch_size, {0, batch_size}, seed, first_step, threads, std::move(augment)) {
}

Batches::Batches(const EncodedDataset& dataset, std::size_t batch_size, Share share,
                 std::uint64_t seed, std::uint64_t first_step, int threads, Augment augment)
    : dataset_(dataset),
      batch_size_(batch_size),
      share_(share),
      seed_(seed),
      augment_(std::move(augment)),
      work_(std::numeric_limits<std::size_t>::max(), threads,
            [this, first_step](std::size_t i) { return make(first_step + i); }) {}

Batches::Order Batches::order(std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, order] : orders_)
    if (known == epoch) return order;
  // Batches in the making reach over a few epochs at most; older orders are dropped.
  constexpr std::size_t kKept = 8;
  if (orders_.size() == kKept) orders_.erase(orders_.begin());
  orders_.emplace_back(epoch, std::make_shared<const std::vector<std::uint32_t>>(
                                  epoch_order(dataset_.size(), seed_, epoch)));
  return orders_.back().second;
}

Batch Batches::make(std::uint64_t step) {
  MGDM_CHECK(dataset_.size() > 0 && share_.begin < share_.end && share_.end <= batch_size_);
  const std::size_t rows = share_.end - share_.begin;
  const auto length = static_cast<std::size_t>(dataset_.layout().length());
  Batch batch;
  batch.step = step;
  batch.items.resize(rows);
  batch.epochs.resize(rows);
  batch.tokens.resize(rows * length);
  batch.frozen.resize(rows * length);
  Order current;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t position = step * batch_size_ + share_.begin + row;
    const auto epoch = static_cast<std::uint32_t>(position / dataset_.size());
    if (!current || epoch != batch.epochs[row - 1]) current = order(epoch);
    const std::uint32_t item = (*current)[position % dataset_.size()];
    batch.items[row] = item;
    batch.epochs[row] = epoch;
    const Row place{std::span(batch.tokens).subspan(row * length, length),
                    std::span(batch.frozen).subspan(row * length, length)};
    if (augment_) {
      const tasks::Example twin = augment_(dataset_.example(item), item, epoch);
      const Vocabulary& vocabulary = dataset_.vocabulary();
      dataset_.layout().check_fits(twin.input.size(), twin.output.size());
      dataset_.layout().write(vocabulary.encode(twin.input), vocabulary.encode(twin.output), place);
    } else {
      dataset_.write_row(item, place);
    }
  }
  return batch;
}

}  // namespace mgdm::data
