// Products and MLPs against their formulas in double, on every device: our kernels on CUDA, on the
// CPU LibTorch's or, on arm64, ours (all of whose cases are in cpu/cpu_test.cc).
#include "ops/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <gtest/gtest.h>

#include "compat/device.h"
#include "compat/test_support.h"
#include "ops/cuda/functions.h"
#include "ops/shared_weight.h"

namespace mgdm::ops {
namespace {

// A number's copies: on a device as the operation takes it, and in double on the CPU. Drawn so that
// bf16 has it without rounding.
struct Twins {
  Twins(at::IntArrayRef sizes, double spread, c10::Device device, at::ScalarType type)
      : exact((spread * at::randn(sizes)).to(at::kBFloat16).to(at::kDouble)),
        real(exact.to(device, type).set_requires_grad(true)) {
    exact.set_requires_grad(true);
  }
  at::Tensor size() const { return exact.detach().abs(); }
  at::Tensor exact, real;
};

// |got - want| <= bound for every number.
void expect_within(const at::Tensor& got, const at::Tensor& want, const at::Tensor& bound,
                   const char* what) {
  const at::Tensor error = (got.detach().to(at::kCPU, at::kDouble) - want.detach()).abs();
  EXPECT_LE((error / (bound.detach() + 1e-30)).max().item<double>(), 1) << what;
}

// How much rounding changes a number. Sums in float, cut into parts as the library likes, err by
// less than that of the sum of sizes.
double unit(c10::Device device) { return device.is_cuda() ? 0x1p-8 : 0x1p-20; }
at::ScalarType type_of(c10::Device device) { return device.is_cuda() ? at::kBFloat16 : at::kFloat; }

at::Tensor value_of(const Branch& branch) {
  const at::Tensor value = branch.value.to(at::kFloat);
  return branch.bias.defined() ? value + branch.bias : value;
}

at::Tensor rows(const at::Tensor& x) { return x.flatten(0, 1); }

TEST(Linear, IsItsFormulaWithGradients) {
  for (const c10::Device device : compat::devices())
    for (const bool as_branch : {false, true})
      for (const bool with_bias : {true, false})
        for (const std::int64_t out : {24, 384}) {
          SCOPED_TRACE(testing::Message() << device << as_branch << with_bias << " " << out);
          const double u = unit(device);
          const Twins x({3, 37, 64}, 1, device, type_of(device)),
              weight({out, 64}, 1, device, at::kFloat), bias({out}, 1, device, at::kFloat);
          const at::Tensor dy = Twins({3, 37, out}, 1, device, at::kFloat).exact.detach();
          at::Tensor y;
          {
            const compat::Autocast autocast(device, /*enabled=*/device.is_cuda());
            const at::Tensor used = with_bias ? bias.real : at::Tensor();
            y = as_branch ? value_of(linear_branch(x.real, weight.real, used))
                          : linear(x.real, weight.real, used).to(at::kFloat);
          }
          (y * dy.to(device, at::kFloat)).sum().backward();
          const at::Tensor y2 =
              at::linear(x.exact, weight.exact, with_bias ? bias.exact : at::Tensor());
          (y2 * dy).sum().backward();
          expect_within(y, y2, 2 * u * (at::linear(x.size(), weight.size()) + bias.size()), "y");
          expect_within(x.real.grad(), x.exact.grad(), 2 * u * dy.abs().matmul(weight.size()),
                        "dx");
          // Sums over 111 rows in float, of numbers that bf16 has, and not rounded after.
          expect_within(weight.real.grad(), weight.exact.grad(),
                        111 * 0x1p-24 * rows(dy.abs()).t().matmul(rows(x.size())), "dweight");
          if (with_bias)
            expect_within(bias.real.grad(), bias.exact.grad(), 2 * u * rows(dy.abs()).sum(0),
                          "dbias");
        }
}

// A stream that takes products is added to, which rounds once; elsewhere the branch is apart.
TEST(Linear, IsAddedToAShortStream) {
  for (const c10::Device device : compat::devices())
    for (const bool mlp : {false, true}) {
      SCOPED_TRACE(testing::Message() << device << mlp);
      const double u = unit(device);
      const Twins x({3, 37, 64}, 1, device, type_of(device)),
          stream({3, 37, 64}, 8, device, type_of(device)), up({256, 64}, 0.1, device, at::kFloat),
          down({64, 256}, 0.1, device, at::kFloat), weight({64, 64}, 1, device, at::kFloat);
      const at::Tensor dy = Twins({3, 37, 64}, 1, device, at::kFloat).exact.detach();
      const auto y_of = [&](bool onto) {
        const compat::Autocast autocast(device, /*enabled=*/device.is_cuda());
        const at::Tensor given = onto ? stream.real : at::Tensor();
        const Branch branch =
            mlp ? mlp_relu_squared(x.real, {.up = up.real, .down = down.real}, given)
                : linear_branch(x.real, weight.real, {}, given);
        EXPECT_EQ(branch.is_stream, onto && device.is_cuda());
        return branch.is_stream ? branch.value.to(at::kFloat)
                                : value_of(branch) + stream.real.to(at::kFloat);
      };
      const auto gradients = [&](const at::Tensor& y) {
        std::vector<at::Tensor> found;
        (y * dy.to(device, at::kFloat)).sum().backward();
        for (const Twins* twins : {&x, &stream, &up, &down, &weight}) {
          at::Tensor& gradient = twins->real.mutable_grad();
          if (gradient.defined()) found.push_back(gradient.clone());
          gradient = at::Tensor();
        }
        return found;
      };
      const at::Tensor apart = y_of(false), together = y_of(true);
      expect_within(together, apart.to(at::kCPU, at::kDouble),
                    3 * u * (apart.abs() + stream.real.abs()).to(at::kCPU, at::kDouble), "y");
      // Both compute the same products of the same numbers.
      const std::vector<at::Tensor> want = gradients(apart), got = gradients(together);
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].equal(want[i])) << i;
    }
}

// One weight in three products, one after the other, each of a size that was not seen before and
// then again; the fourth is of numbers that our kernels do not take.
TEST(Linear, SumsUpTheGradientsOfASharedWeight) {
  for (const c10::Device device : compat::devices())
    for (const bool with_other : {false, true})
      for (int turn = 0; turn < 2; ++turn) {
        SCOPED_TRACE(testing::Message() << device << with_other << turn);
        const Twins weight({40, 64}, 1, device, at::kFloat);
        at::Tensor loss, loss2, bound;
        const auto add = [](at::Tensor& sum, const at::Tensor& part) {
          sum = sum.defined() ? sum + part : part;
        };
        {
          const compat::Autocast autocast(device, /*enabled=*/device.is_cuda());
          const at::Tensor shared = shared_weight(weight.real);
          EXPECT_NE(shared.is_same(weight.real), device.is_cuda());
          for (const std::int64_t count : {37, 5, 37, 20}) {
            const bool other = count == 20;
            if (other && !with_other) continue;
            const Twins x({3, count, 64}, 1, device, other ? at::kFloat : type_of(device));
            const at::Tensor dy = Twins({3, count, 40}, 1, device, at::kFloat).exact.detach();
            add(loss,
                (ops::linear(x.real, shared).to(at::kFloat) * dy.to(device, at::kFloat)).sum());
            add(loss2, (at::linear(x.exact, weight.exact) * dy).sum());
            // Sums over rows and uses in float; LibTorch's are rounded once more.
            const double each = 3 * (37 + 5 + 37 + 20) * 0x1p-24 + (other ? unit(device) : 0);
            add(bound, each * rows(dy.abs()).t().matmul(rows(x.size())));
          }
        }
        loss.backward();
        loss2.backward();
        expect_within(weight.real.grad(), weight.exact.grad(), bound, "dweight");
      }
}

// Against those of the same uses of the parameters, which autograd adds up: the same products of
// the same numbers, added in another order.
TEST(Mlp, SumsUpTheGradientsOfSharedWeights) {
  for (const c10::Device device : compat::devices())
    for (const bool gelu : {true, false}) {
      SCOPED_TRACE(testing::Message() << device << gelu);
      const std::int64_t width = 128;
      const double spread = 1 / std::sqrt(static_cast<double>(width));
      const Twins up({4 * width, width}, spread, device, at::kFloat),
          up_bias({4 * width}, 0.5, device, at::kFloat),
          down({width, 4 * width}, spread, device, at::kFloat);
      const Twins x({3, 67, width}, 1, device, type_of(device));
      const auto gradients = [&](bool shared) {
        for (const Twins* twins : {&up, &up_bias, &down})
          at::Tensor(twins->real).mutable_grad() = at::Tensor();
        at::Tensor z = x.real.detach();
        {
          const compat::Autocast autocast(device, /*enabled=*/device.is_cuda());
          const Mlp mlp{.up = shared ? shared_weight(up.real) : up.real,
                        .up_bias = up_bias.real,
                        .down = shared ? shared_weight(down.real) : down.real};
          const bool another = shared && device.is_cuda();
          EXPECT_NE(mlp.up.is_same(up.real), another);
          EXPECT_NE(mlp.down.is_same(down.real), another);
          for (int use = 0; use < 3; ++use)
            z = (z + value_of(gelu ? mlp_gelu(z, mlp) : mlp_relu_squared(z, mlp)))
                    .to(type_of(device));
        }
        z.to(at::kFloat).square().sum().backward();
        return std::vector<at::Tensor>{up.real.grad(), up_bias.real.grad(), down.real.grad()};
      };
      const std::vector<at::Tensor> want = gradients(false), got = gradients(true);
      for (std::size_t i = 0; i < want.size(); ++i) {
        // 603 additions in float err by 603 2^-24 of the sum of sizes in the worst case, which is
        // 2^-15; sizes add up to some 25 times what the numbers do. A use that is missing, or
        // counted twice, is a third.
        const double error = (got[i] - want[i]).norm().item<double>();
        EXPECT_LE(error, 0x1p-9 * want[i].norm().item<double>()) << i;
        EXPECT_GT(want[i].norm().item<double>(), 0);
      }
    }
}

// Widths with and without a kernel that has the activation in the products.
TEST(Mlp, IsItsFormulaWithGradients) {
  for (const c10::Device device : compat::devices())
    for (const bool gelu : {true, false})
      for (const bool with_bias : {true, false})
        for (const std::int64_t width : {24, 128, 384}) {
          SCOPED_TRACE(testing::Message() << device << gelu << with_bias << " " << width);
          const double u = unit(device), spread = 1 / std::sqrt(static_cast<double>(width));
          const Twins x({3, 67, width}, 1, device, type_of(device)),
              up({4 * width, width}, spread, device, at::kFloat),
              up_bias({4 * width}, 0.5, device, at::kFloat),
              down({width, 4 * width}, spread, device, at::kFloat),
              down_bias({width}, 1, device, at::kFloat);
          const at::Tensor dz = Twins({3, 67, width}, 1, device, at::kFloat).exact.detach();
          at::Tensor z, z_alone;  // the latter with nobody to ask for gradients
          {
            const compat::Autocast autocast(device, /*enabled=*/device.is_cuda());
            const Mlp mlp = with_bias ? Mlp{up.real, up_bias.real, down.real, down_bias.real}
                                      : Mlp{.up = up.real, .down = down.real};
            const auto run = [&] {
              return value_of(gelu ? mlp_gelu(x.real, mlp) : mlp_relu_squared(x.real, mlp));
            };
            z = run();
            const at::NoGradGuard no_grad;
            z_alone = run();
          }
          (z * dz.to(device, at::kFloat)).sum().backward();

          at::Tensor h = at::linear(x.exact, up.exact, with_bias ? up_bias.exact : at::Tensor());
          h.retain_grad();
          at::Tensor y = gelu ? at::gelu(h, "tanh") : at::relu(h) * at::relu(h);
          y.retain_grad();
          const at::Tensor z2 =
              at::linear(y, down.exact, with_bias ? down_bias.exact : at::Tensor());
          (z2 * dz).sum().backward();

          // h, y and their gradients are rounded on the way, and |f'| <= 2 (1 + |h|), |f''| <= 2.
          const at::Tensor h_error = 2 * u * (at::linear(x.size(), up.size()) + up_bias.size());
          const at::Tensor y_error = u * y.detach().abs() + 2 * (1 + h.detach().abs()) * h_error;
          const at::Tensor y_size = y.detach().abs();
          const at::Tensor z_error = at::linear(y_error + 2 * u * y_size, down.size()) +
                                     2 * u * (z2.detach().abs() + down_bias.size());
          expect_within(z, z2, z_error, "z");
          expect_within(z_alone, z2, z_error, "z alone");
          const at::Tensor dy_error = 2 * u * dz.abs().matmul(down.size());
          const at::Tensor dh_error = dy_error * 2 * (1 + h.detach().abs()) +
                                      2 * h_error * y.grad().abs() + u * h.grad().abs();
          const at::Tensor dh_size = dh_error + 2 * u * h.grad().abs();
          expect_within(x.real.grad(), x.exact.grad(), dh_size.matmul(up.size()), "dx");
          expect_within(up.real.grad(), up.exact.grad(), rows(dh_size).t().matmul(rows(x.size())),
                        "dup");
          expect_within(down.real.grad(), down.exact.grad(),
                        rows(dz.abs()).t().matmul(rows(y_error + 2 * u * y_size)), "ddown");
          if (!with_bias) continue;
          expect_within(up_bias.real.grad(), up_bias.exact.grad(), rows(dh_size).sum(0),
                        "dup_bias");
          expect_within(down_bias.real.grad(), down_bias.exact.grad(),
                        2 * u * rows(dz.abs()).sum(0), "ddown_bias");
        }
}

}  // namespace
}  // namespace mgdm::ops
