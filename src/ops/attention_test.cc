// Attention of fused queries, keys and values against its formula in double, on every device: our
// loops on the CPU, our kernel on CUDA.
#include "ops/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <limits>

#include "compat/device.h"
#include "compat/test_support.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops {
namespace {

at::Tensor leaf(const at::Tensor& x) { return x.detach().clone().set_requires_grad(true); }

at::Tensor formula(const at::Tensor& qkv, const AttentionForm& form) {
  std::vector<at::Tensor> heads = qkv.unbind(2);  // (B, N, H, D)
  for (at::Tensor& x : heads) {
    const bool value = x.is_same(heads[2]);
    if (form.head_norm_eps > 0 && !value)
      x = x * at::rsqrt((x * x).mean(-1, /*keepdim=*/true) + form.head_norm_eps);
    x = x.transpose(1, 2);
  }
  at::Tensor scores = at::matmul(heads[0], heads[1].transpose(-2, -1)) * form.scale;
  const std::int64_t n = qkv.size(1);
  if (form.causal)
    scores = scores.masked_fill(at::ones({n, n}, at::kBool).triu(1),
                                -std::numeric_limits<double>::infinity());
  return at::matmul(at::softmax(scores, -1), heads[2]).transpose(1, 2).flatten(2);
}

TEST(Attention, OfFusedHeadsIsItsFormulaWithGradients) {
  compat::seed_dropout(2);
  for (const c10::Device device : compat::devices())
    for (const std::int64_t length : {1, 7, 52, 81})
      for (const std::int64_t size : {32, 64})
        for (const bool causal : {false, true})
          for (const double norm : {0.0, 1e-6}) {
            SCOPED_TRACE(testing::Message()
                         << device << " " << length << " " << size << " " << causal << norm);
            const AttentionForm form{.causal = causal, .scale = 0.2, .head_norm_eps = norm};
            const auto type = device.is_cuda() ? at::kBFloat16 : at::kFloat;
            const at::Tensor qkv = leaf(at::randn({2, length, 3, 3, size}).to(device, type));
            const at::Tensor exact = leaf(qkv.to(at::kCPU, at::kDouble));
            const at::Tensor weight = at::randn({2, length, 3 * size});
            at::Tensor out;
            {
              const compat::Autocast autocast(device, /*enabled=*/true);
              out = attention(qkv, form);
            }
            ASSERT_EQ(out.sizes(), weight.sizes());
            (out.to(at::kFloat) * weight.to(device)).sum().backward();
            const at::Tensor right = formula(exact, form);
            (right * weight).sum().backward();
            // In bf16 the output has the error of a rounding. Gradients of scores are differences
            // of two sums over a head's numbers, one of which is of rounded outputs: four times
            // that. The norm's own, g - x mean(x g), has that error in both terms: eight times.
            const double rounding = device.is_cuda() ? 0x1p-7 : 2.5e-6;
            const auto expect_close = [&](const at::Tensor& a, const at::Tensor& b,
                                          double fraction) {
              const at::Tensor error = (a.detach().to(at::kCPU, at::kDouble) - b.detach()).abs();
              EXPECT_LE(error.max().item<double>(), fraction * b.abs().max().item<double>() + 1e-9);
            };
            expect_close(out, right, rounding);
            expect_close(qkv.grad(), exact.grad(), (norm > 0 ? 8 : 4) * rounding);
          }
}

// With the product that makes queries, keys and values, and the gradients of its weight and bias.
TEST(Attention, OfAProductIsItsFormulaWithGradients) {
  constexpr std::int64_t kHeads = 2, kLength = 37;
  for (const c10::Device device : compat::devices())
    for (const std::int64_t size : {32, 64}) {
      SCOPED_TRACE(testing::Message() << device << " " << size);
      const AttentionForm form{.scale = 0.2};
      const std::int64_t width = kHeads * size;
      const auto twin = [](const at::Tensor& of) { return leaf(of.to(at::kCPU, at::kDouble)); };
      const at::Tensor x = leaf(
          at::randn({3, kLength, width}).to(device, device.is_cuda() ? at::kBFloat16 : at::kFloat));
      const at::Tensor weight = leaf((at::randn({3 * width, width}) / 8).to(device)),
                       bias = leaf(at::randn({3 * width}).to(device)),
                       dout = at::randn({3, kLength, width});
      const at::Tensor x2 = twin(x), weight2 = twin(weight), bias2 = twin(bias);
      at::Tensor out;
      {
        const compat::Autocast autocast(device, /*enabled=*/true);
        out = attention_of(x, weight, bias, kHeads, form);
      }
      (out.to(at::kFloat) * dout.to(device)).sum().backward();
      const at::Tensor qkv = x2.matmul(weight2.t()) + bias2;
      const at::Tensor right = formula(qkv.view({3, kLength, 3, kHeads, size}), form);
      (right * dout).sum().backward();
      // In bf16 weights, queries, keys, values and what is made of them are rounded; gradients of
      // sums over 111 rows stay as near.
      const double fraction = device.is_cuda() ? 0x1p-5 : 1e-5;
      const auto expect_close = [&](const at::Tensor& a, const at::Tensor& b, const char* what) {
        ASSERT_TRUE(a.defined()) << what;
        const at::Tensor error = (a.detach().to(at::kCPU, at::kDouble) - b.detach()).abs();
        EXPECT_LE(error.max().item<double>(), fraction * b.abs().max().item<double>()) << what;
      };
      expect_close(out, right, "out");
      expect_close(x.grad(), x2.grad(), "dx");
      expect_close(weight.grad(), weight2.grad(), "dweight");
      expect_close(bias.grad(), bias2.grad(), "dbias");
    }
}

// Position by position with what was seen before, as all at once.
TEST(Attention, GoesOnFromWhatItHasSeen) {
  const AttentionForm form{.causal = true, .scale = 0.3, .head_norm_eps = 1e-6};
  const at::Tensor qkv = at::randn({2, 9, 3, 4, 16});
  const at::Tensor all = attention(qkv, form);
  KeysAndValues seen;
  for (const auto& [begin, end] : {std::pair{0, 4}, {4, 5}, {5, 9}}) {
    const at::Tensor part = attention(qkv.slice(1, begin, end), form, &seen);
    EXPECT_LT((part - all.slice(1, begin, end)).abs().max().item<double>(), 1e-5);
  }
  EXPECT_EQ(seen.keys.count(), 9);
}

// Rows that are looked up are those that stand there.
TEST(Attention, OfPlacesIsThatOfTheirRows) {
  const at::NoGradGuard no_grad;
  compat::seed_dropout(3);
  for (const c10::Device device : compat::devices()) {
    const auto type = device.is_cuda() ? at::kBFloat16 : at::kFloat;
    for (const bool causal : {false, true})
      for (const auto& [rows, length, heads, size] :
           {std::tuple{3, 21, 4, 16}, {2, 64, 3, 32}, {2, 130, 2, 64}}) {
        const at::Tensor qkv = at::randn({50, 3, heads, size}).to(device, type);
        const at::Tensor places =
            at::randint(0, 50, {rows, length}, at::TensorOptions().dtype(at::kLong)).to(device);
        const AttentionForm form{.causal = causal, .scale = 0.3, .head_norm_eps = 1e-6};
        const at::Tensor chosen =
            qkv.index_select(0, places.view(-1)).view({rows, length, 3, heads, size});
        const compat::Autocast autocast(device, device.is_cuda());
        if (device.is_cuda()) {
          EXPECT_TRUE(cuda::attention_at_takes(qkv, places, form));
        }
        EXPECT_TRUE(attention_at(qkv, places, form).equal(attention(chosen, form)))
            << device << " " << causal << " " << length;
      }
  }
}

TEST(SeenPositions, AreAllThatWereAdded) {
  const at::Tensor all = at::randn({2, 3, 40, 8});
  SeenPositions seen;
  std::int64_t begin = 0;
  for (const std::int64_t count : {5, 1, 1, 1, 20, 1, 11}) {
    const at::Tensor known = seen.with(all.narrow(2, begin, count));
    begin += count;
    EXPECT_EQ(seen.count(), begin);
    EXPECT_TRUE(at::equal(known, all.narrow(2, 0, begin))) << begin;
  }
}

TEST(SeenPositions, GoOnWithSomeOfTheRows) {
  const at::Tensor all = at::randn({3, 2, 12, 4});
  SeenPositions seen;
  seen.with(all.narrow(2, 0, 11));
  SeenPositions some = seen.of_rows(at::tensor({2, 0}, at::kLong));
  const at::Tensor two = all.index_select(0, at::tensor({2, 0}, at::kLong));
  EXPECT_TRUE(at::equal(some.with(two.narrow(2, 11, 1)), two));
  EXPECT_EQ(seen.count(), 11);
}

// Copying all of them for every one that comes would take a time that grows with the square.
TEST(SeenPositions, AreSeldomCopied) {
  SeenPositions seen;
  const at::Tensor one = at::randn({1, 2, 1, 4});
  const void* place = seen.with(one).data_ptr();
  int copies = 0;
  for (int i = 1; i < 4096; ++i)
    if (const void* now = seen.with(one).data_ptr(); now != place) {
      place = now;
      ++copies;
    }
  EXPECT_LT(copies, 45);  // log 4096 / log 1.25 is 37, and the first few come one by one
}

TEST(SeenPositions, HaveNoGradients) {
  SeenPositions seen;
  const at::Tensor now = at::randn({1, 1, 2, 4}).requires_grad_();
  seen.with(now);
  EXPECT_FALSE(seen.with(now).requires_grad());
}

}  // namespace

}  // namespace mgdm::ops
