// Two objectives that read in one pass. Autoregressive: predict each output token from those before
// it. Teacherless: predict the whole output at once; every output position shows one dummy token.
#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_and.h>

#include "objectives/objective.h"

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

namespace {

class Autoregressive : public Objective {
 public:
  using Objective::Objective;

  // Counted are the output and [EOS]; the [PAD]s, which stand only after it, teach nothing more.
  Noised noise_at(const Batch& batch, std::uint64_t, const at::Tensor& t) const override {
    const at::Tensor counted =
        at::logical_and(batch.frozen.logical_not(), batch.tokens != settings_.pad);
    return {batch.tokens, counted, counted.to(at::kFloat), t};
  }

  std::int64_t levels() const override { return 1; }

  // Up to the last token of the longest row: a causal network sees none of the [PAD]s after it.
  std::size_t needed_columns(const data::Rows& rows) const override {
    const auto pad = static_cast<data::Token>(settings_.pad);
    std::size_t needed = 1;
    for (std::size_t row = 0; row < rows.count(); ++row) {
      std::size_t end = rows.length;
      while (end > needed && rows.tokens[row * rows.length + end - 1] == pad) --end;
      needed = end;
    }
    return needed;
  }
};

}  // namespace

std::unique_ptr<Objective> make_autoregressive(const Settings& settings) {
  return std::make_unique<Autoregressive>(settings);
}

}  // namespace mgdm::objectives
