#include "data/batches.h"

#include <limits>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/random.h"

namespace mgdm::data {

std::vector<std::uint32_t> epoch_order(std::size_t size, std::uint64_t seed, std::uint32_t epoch,
                                       std::uint32_t part) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  Stream(seed, Purpose::kShuffle, epoch, part).shuffle(std::span<std::uint32_t>(order));
  return order;
}

Share share_of(std::size_t batch_size, std::size_t part, std::size_t parts) {
  return {batch_size * part / parts, batch_size * (part + 1) / parts};
}

Batches::Batches(const Mixture& mixture, std::size_t batch_size, std::uint64_t seed,
                 std::uint64_t first_step, int threads)
    : Batches(mixture, batch_size, {0, batch_size}, seed, first_step, threads) {}

Batches::Batches(const Mixture& mixture, std::size_t batch_size, Share share, std::uint64_t seed,
                 std::uint64_t first_step, int threads)
    : mixture_(mixture),
      batch_size_(batch_size),
      share_(share),
      seed_(seed),
      orders_(mixture.parts().size()),
      work_(std::numeric_limits<std::size_t>::max(), threads,
            [this, first_step](std::size_t i) { return make(first_step + i); }) {}

Batches::Order Batches::order(std::size_t part, std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  auto& orders = orders_[part];
  for (const auto& [known, order] : orders)
    if (known == epoch) return order;
  // Batches in the making reach over a few epochs at most; older orders are dropped.
  constexpr std::size_t kKept = 8;
  if (orders.size() == kKept) orders.erase(orders.begin());
  const std::size_t size = mixture_.parts()[part].source->size();
  orders.emplace_back(epoch, std::make_shared<const std::vector<std::uint32_t>>(epoch_order(
                                 size, seed_, epoch, static_cast<std::uint32_t>(part))));
  return orders.back().second;
}

Batch Batches::make(std::uint64_t step) {
  MGDM_CHECK(share_.begin < share_.end && share_.end <= batch_size_);
  const std::size_t rows = share_.end - share_.begin;
  Batch batch{step, Rows(rows, static_cast<std::size_t>(mixture_.length())),
              std::vector<std::uint32_t>(rows)};
  std::vector<std::pair<std::uint32_t, Order>> current(mixture_.parts().size());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto [part, position] = mixture_.place(step * batch_size_ + share_.begin + row);
    const Source& source = *mixture_.parts()[part].source;
    std::uint32_t epoch = 0, item = static_cast<std::uint32_t>(position);
    if (const std::size_t size = source.size(); size > 0) {
      epoch = static_cast<std::uint32_t>(position / size);
      auto& [known, order_now] = current[part];
      if (!order_now || known != epoch) {
        known = epoch;
        order_now = order(part, epoch);
      }
      item = (*order_now)[position % size];
    }
    batch.rows.items[row] = mixture_.key(part, item);
    batch.epochs[row] = epoch;
    source.write_row(item, epoch, batch.rows[row]);
  }
  return batch;
}

}  // namespace mgdm::data
