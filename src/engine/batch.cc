#include "engine/batch.h"

#include <ATen/ops/full.h>

#include "base/error.h"
#include "data/vocabulary.h"
#include "decoding/draws.h"
#include "ops/draws.h"

namespace mgdm::engine {

at::Tensor draws(const Batch& batch, std::int64_t seed, std::int64_t pass, std::int64_t columns) {
  const std::int64_t step = decoding::draw_step(batch.attempt, pass);
  return ops::uniform(static_cast<std::uint64_t>(seed), Purpose::kDecode, batch.items,
                      at::full({}, step, batch.items.options()), columns);
}

at::Tensor all_masked(const Batch& batch) {
  MGDM_CHECK(batch.tokens.dim() == 2 && batch.tokens.scalar_type() == at::kLong);
  MGDM_CHECK(batch.frozen.sizes() == batch.tokens.sizes() &&
             batch.frozen.scalar_type() == at::kBool);
  MGDM_CHECK(batch.items.dim() == 1 && batch.items.size(0) == batch.tokens.size(0));
  return batch.tokens.masked_fill(batch.frozen.logical_not(),
                                  static_cast<std::int64_t>(batch.specials.mask));
}

}  // namespace mgdm::engine
