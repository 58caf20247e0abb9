#include "engine/restarts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>

namespace mgdm::engine {

Restarts decode_with_restarts(const Decoder& decoder, const Batch& batch,
                              const spec::DecodingSettings& settings, const Verified& verified) {
  settings.check_tries();
  Restarts result;
  result.successful_try = at::full({batch.tokens.size(0)}, -1, at::kLong);
  for (std::int64_t k = 0; k < settings.tries; ++k) {
    const at::Tensor open = (result.successful_try == -1).nonzero().squeeze(1);  // rows, CPU
    if (k > 0 && open.size(0) == 0) break;
    const at::Tensor rows = open.to(batch.tokens.device());
    const Result tried =
        decoder({batch.tokens.index_select(0, rows), batch.frozen.index_select(0, rows),
                 batch.items.index_select(0, rows), k, open, batch.specials});
    if (k == 0) {
      result.first = tried;
      result.best = {tried.tokens.clone(), tried.forward_passes.clone()};
    } else {
      result.best.forward_passes.index_add_(0, rows, tried.forward_passes);
    }
    const at::Tensor answers = tried.tokens.to(at::kCPU);
    for (std::int64_t i = 0; i < open.size(0); ++i) {
      const auto row = open[i].item<std::int64_t>();
      if (!verified(row, answers[i])) continue;
      result.successful_try[row] = k;
      result.best.tokens[row].copy_(tried.tokens[i]);
    }
    if (tried.stopped) break;
  }
  return result;
}

}  // namespace mgdm::engine
