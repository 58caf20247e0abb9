// Teacherless: the whole output at once, every output position being shown one dummy token.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include "objectives/kinds.h"

namespace mgdm::objectives {
namespace {

class Teacherless : public Objective {
 public:
  using Objective::Objective;

  // [MASK] is the dummy; the [PAD]s are counted, for nothing else tells the length.
  std::vector<Noised> noise(const Batch& batch, std::uint64_t) const override {
    const at::Tensor output = batch.frozen.logical_not();
    return {{batch.tokens.masked_fill(output, kMask), output, output.to(at::kFloat),
             at::zeros_like(batch.items)}};
  }
};

}  // namespace

std::unique_ptr<Objective> make_teacherless(const Settings& settings) {
  return std::make_unique<Teacherless>(settings);
}

}  // namespace mgdm::objectives
