// Teacherless: the whole output at once, every output position being shown one dummy token.
#include <ATen/TensorOperators.h>

#include "objectives/kinds.h"

namespace mgdm::objectives {
namespace {

class Teacherless : public Objective {
 public:
  using Objective::Objective;

  // [MASK] is the dummy; the [PAD]s are counted, for nothing else tells the length.
  Noised noise_at(const Batch& batch, std::uint64_t, const at::Tensor& t) const override {
    const at::Tensor output = batch.frozen.logical_not();
    return {batch.tokens.masked_fill(output, kMask), output, output.to(at::kFloat), t};
  }

  std::int64_t levels() const override { return 1; }
};

}  // namespace

std::unique_ptr<Objective> make_teacherless(const Settings& settings) {
  return std::make_unique<Teacherless>(settings);
}

}  // namespace mgdm::objectives
