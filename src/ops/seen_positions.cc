#include "ops/seen_positions.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <vector>

namespace mgdm::ops {

at::Tensor SeenPositions::with(const at::Tensor& now) {
  const std::int64_t before = count_;
  count_ += now.size(2);
  if (!room_.defined() || count_ > room_.size(2)) {
    std::vector<std::int64_t> sizes = now.sizes().vec();
    sizes[2] = before == 0 ? count_ : count_ + count_ / 4;
    const at::Tensor larger = at::empty(sizes, now.options());
    if (before > 0) larger.narrow(2, 0, before).copy_(room_.narrow(2, 0, before));
    room_ = larger;
  }
  room_.narrow(2, before, count_ - before).copy_(now.detach());
  return room_.narrow(2, 0, count_);
}

SeenPositions SeenPositions::of_rows(const at::Tensor& rows) const {
  SeenPositions some;
  some.room_ = room_.index_select(0, rows.to(room_.device()));
  some.count_ = count_;
  return some;
}

}  // namespace mgdm::ops
