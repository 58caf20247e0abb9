// The embedding and its gradients against their formulas in double. They run where there is a GPU.
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>

#include "compat/device.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

at::Tensor draw(std::int64_t below, at::IntArrayRef sizes) {
  return at::randint(below, sizes, at::TensorOptions().device(at::kCUDA).dtype(at::kLong));
}

class Embedding : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(7);
  }
};

TEST_F(Embedding, IsTheSumOfItsRowsWithGradients) {
  for (const std::int64_t columns : {128, 384, 1024})
    for (const std::int64_t vocabulary : {2, 31, 390})
      for (const bool with_frozen : {false, true})
        for (const auto& [batch, length] : {std::pair{1, 1}, {5, 7}, {130, 52}, {1, 300}}) {
          SCOPED_TRACE(testing::Message() << columns << " " << vocabulary << " " << with_frozen
                                          << " " << batch << " x " << length);
          const at::Tensor tokens = leaf(numbers({vocabulary, columns})),
                           positions = leaf(numbers({length, columns})),
                           frozen = with_frozen ? leaf(numbers({2, columns})) : at::Tensor();
          const Shown shown{.tokens = draw(vocabulary, {batch, length}),
                            .frozen = draw(2, {batch, length}).to(at::kBool)};
          const at::Tensor dout = numbers({batch, length, columns});
          const auto run = [&] {
            return cuda::embed({tokens, positions, frozen}, shown, /*dropped=*/0);
          };
          const at::Tensor got = run();
          (got * dout).sum().backward();

          const at::Tensor tokens2 = exact(tokens), positions2 = exact(positions);
          at::Tensor want = at::embedding(tokens2, shown.tokens) + positions2, frozen2;
          if (with_frozen) {
            frozen2 = exact(frozen);
            want = want + at::embedding(frozen2, shown.frozen.to(at::kLong));
          }
          (want * dout).sum().backward();

          // Two additions.
          const at::Tensor sizes = at::embedding(tokens2.abs(), shown.tokens) + positions2.abs();
          expect_within(got, want, 2 * kFloat * (sizes + want.abs() + 8), "out");
          // Sums over at most B N rows in some order.
          const double adding = static_cast<double>(batch * length) * kFloat;
          const at::Tensor g = dout.to(at::kDouble).abs();
          const auto sums_of = [&](const at::Tensor& table, const at::Tensor& rows) {
            return at::zeros(table.sizes(), g.options())
                .index_add(0, rows.flatten(), g.flatten(0, 1));
          };
          expect_within(tokens.grad(), tokens2.grad(), adding * sums_of(tokens, shown.tokens),
                        "dtokens");
          expect_within(positions.grad(), positions2.grad(), adding * g.sum(0), "dpositions");
          if (with_frozen)
            expect_within(frozen.grad(), frozen2.grad(),
                          adding * sums_of(frozen, shown.frozen.to(at::kLong)), "dfrozen");
          const at::Tensor first = tokens.grad().clone();
          tokens.mutable_grad() = at::Tensor();
          (run() * dout).sum().backward();
          EXPECT_TRUE(tokens.grad().equal(first)) << "repeats itself";
        }
}

TEST_F(Embedding, DropsItsShareAndTheGradientTheSame) {
  const double share = 0.3;
  const auto options = at::TensorOptions().device(at::kCUDA);
  const at::Tensor tokens = leaf(at::ones({31, 384}, options)),
                   positions = leaf(at::zeros({64, 384}, options));
  const Shown shown{.tokens = draw(31, {128, 64})};
  const at::Tensor out = cuda::embed({tokens, positions}, shown, share), kept = out.detach() > 0;
  // A share of 3 million draws: a standard deviation of 0.0003.
  EXPECT_NEAR(kept.to(at::kFloat).mean().item<double>(), 1 - share, 0.002);
  const at::Tensor dout = numbers(out.sizes());
  (out * dout).sum().backward();
  const at::Tensor dx = dout.to(at::kDouble) * out.detach().to(at::kDouble);
  expect_within(positions.grad(), dx.sum(0), 130 * kFloat * dx.abs().sum(0), "dpositions");
  // Another call draws anew.
  EXPECT_FALSE((cuda::embed({tokens, positions}, shown, share).detach() > 0).equal(kept));
}

}  // namespace
}  // namespace mgdm::ops::cuda
