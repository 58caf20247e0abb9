#include "engine/batch.h"

#include "base/error.h"
#include "data/vocabulary.h"

namespace mgdm::engine {

at::Tensor all_masked(const Batch& batch) {
  MGDM_CHECK(batch.tokens.dim() == 2 && batch.tokens.scalar_type() == at::kLong);
  MGDM_CHECK(batch.frozen.sizes() == batch.tokens.sizes() &&
             batch.frozen.scalar_type() == at::kBool);
  MGDM_CHECK(batch.items.dim() == 1 && batch.items.size(0) == batch.tokens.size(0));
  return batch.tokens.masked_fill(batch.frozen.logical_not(), data::kMask);
}

}  // namespace mgdm::engine
