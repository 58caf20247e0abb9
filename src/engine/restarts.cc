#include "engine/restarts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>

namespace mgdm::engine {
namespace {

// Once: every copy waits for the device.
Result on_cpu(const Result& result) {
  return {result.tokens.cpu(), result.forward_passes.cpu(), result.stopped};
}

}  // namespace

Restarts decode_with_restarts(const Decoder& decoder, const Batch& batch,
                              const spec::DecodingSettings& settings, const Verified& verified) {
  settings.check_tries();
  Restarts result;
  result.successful_try = at::full({batch.tokens.size(0)}, -1, at::kLong);
  for (std::int64_t k = 0; k < settings.tries; ++k) {
    Batch some = batch;
    some.attempt = batch.attempt + k;
    if (k > 0) {
      some.rows = (result.successful_try == -1).nonzero().squeeze(1);
      if (some.rows.size(0) == 0) break;
      const at::Tensor rows = some.rows.to(batch.tokens.device());
      some.tokens = batch.tokens.index_select(0, rows);
      some.frozen = batch.frozen.index_select(0, rows);
      some.items = batch.items.index_select(0, rows);
    }
    const Result tried = on_cpu(decoder(some));
    if (k == 0) {
      result.first = result.best = tried;
      if (settings.tries > 1)  // it may change
        result.best = {tried.tokens.clone(), tried.forward_passes.clone()};
    } else {
      result.best.forward_passes.index_add_(0, some.rows, tried.forward_passes);
    }
    for (std::int64_t i = 0; i < tried.tokens.size(0); ++i) {
      const std::int64_t row = k > 0 ? some.rows.data_ptr<std::int64_t>()[i] : i;
      if (!verified(row, tried.tokens[i])) continue;
      result.successful_try[row] = k;
      result.best.tokens[row].copy_(tried.tokens[i]);
    }
    if (tried.stopped) break;
  }
  return result;
}

}  // namespace mgdm::engine
