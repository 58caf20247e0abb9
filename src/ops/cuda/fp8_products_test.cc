// Products in fp8 against their formulas in double of the numbers that the codes stand for; then
// linear layers and MLPs with their gradients. They run where a GPU has such units.
#ifdef MGDM_CUDA

#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>

#include "ops/cuda/fp8_test_support.h"
#include "ops/cuda/products.h"
#include "ops/fp8.h"
#include "ops/linear.h"
#include "ops/mlp.h"
#include "ops/our_kernels.h"
#include "ops/shared_weight.h"

namespace mgdm::ops::cuda {
namespace {

constexpr NumberType kE4m3 = NumberType::kE4m3, kE5m2 = NumberType::kE5m2;

// Of a whole matrix. What additions lose is about a thousandth, rounding to bf16 less.
constexpr double kCloseProduct = 0x1p-6;

class Fp8Products : public testing::Test {
 protected:
  void SetUp() override {
    if (!fp8_available()) GTEST_SKIP() << "no CUDA device with fp8";
    compat::seed_dropout(7);
  }
};

Fp8Made cast_of(const at::Tensor& x, NumberType type) {
  return fp8_made(x, {.x = x.const_data_ptr(), .type = number_type_of(x)}, type);
}

TEST_F(Fp8Products, AreTheirFormula) {
  struct Form {
    NumberType a, b, out;
    bool short_sums, with_bias;
  };
  const auto there = at::TensorOptions().device(at::kCUDA);
  const at::Tensor workspace =
      at::empty({static_cast<std::int64_t>(kProductWorkspace)}, there.dtype(at::kByte));
  for (const bool tune : {false, true})
    for (const Form& form : {Form{kE4m3, kE4m3, NumberType::kBfloat16, true, true},
                             Form{kE4m3, kE4m3, NumberType::kBfloat16, true, false},
                             Form{kE5m2, kE4m3, NumberType::kBfloat16, false, false},
                             Form{kE5m2, kE4m3, NumberType::kFloat32, false, false}})
      for (const auto& [rows, columns, depth] : {std::tuple{16, 16, 16},
                                                 {37, 48, 64},
                                                 {264, 80, 1008},
                                                 {2048, 384, 1536},
                                                 {384, 1152, 20000}}) {
        // Those are for sums as long as a network is wide.
        if (form.short_sums && depth > 4096) continue;
        SCOPED_TRACE(testing::Message()
                     << tune << static_cast<int>(form.a) << static_cast<int>(form.out)
                     << form.with_bias << " " << rows << " x " << columns << " x " << depth);
        const Fp8Made a = cast_of(3 * numbers({rows, depth}, at::kBFloat16), form.a);
        const Fp8Made b = cast_of(0.02 * numbers({columns, depth}), form.b);
        const at::Tensor bias = numbers({columns}, at::kBFloat16);
        const at::Tensor out = unwritten(numbers(
            {rows, columns}, form.out == NumberType::kFloat32 ? at::kFloat : at::kBFloat16));
        launch_product({.a = a.codes.const_data_ptr(),
                        .b = b.codes.const_data_ptr(),
                        .out = out.data_ptr(),
                        .rows = rows,
                        .columns = columns,
                        .depth = depth,
                        .b_transposed = true,
                        .bias = form.with_bias ? bias.const_data_ptr() : nullptr,
                        .a_type = form.a,
                        .b_type = form.b,
                        .out_type = form.out,
                        .a_scale = a.scale_there.const_data_ptr<float>(),
                        .b_scale = b.scale_there.const_data_ptr<float>(),
                        .short_sums = form.short_sums},
                       workspace.data_ptr(), tune, nullptr);
        const at::Tensor a2 = a.values(form.a), b2 = b.values(form.b).t();
        at::Tensor want = a2.matmul(b2), size = a2.abs().matmul(b2.abs());
        if (form.with_bias) {
          want = want + bias.to(at::kDouble);
          size = size + bias.to(at::kDouble).abs();
        }
        const double rounding = form.out == NumberType::kFloat32 ? kFloat : kBf16;
        expect_within(out, want,
                      1.01 * rounding * want.abs() + fp8_adding(depth, form.short_sums) * size,
                      "product");
        expect_close(out, want, kCloseProduct, "product");
      }
}

// A tensor as an operation takes it, and in double; made of numbers that fp8 has, so that casting
// loses nothing.
struct Fp8Twins {
  Fp8Twins(at::IntArrayRef sizes, double spread, NumberType fp8, at::ScalarType type)
      : exact(rounded_to_fp8(spread * numbers(sizes), fp8).set_requires_grad(true)),
        real(exact.detach().to(type).set_requires_grad(true)) {}
  at::Tensor size() const { return exact.detach().abs(); }
  at::Tensor exact, real;
};

at::Tensor matrix_of(const at::Tensor& x) { return x.flatten(0, 1); }

TEST_F(Fp8Products, OfLinearLayersHaveTheirGradients) {
  for (const bool as_branch : {false, true})
    for (const bool with_bias : {true, false})
      for (const auto& [batch, length, in, out] :
           {std::tuple{3, 37, 64, 48}, {4, 16, 768, 2304}, {7, 61, 1024, 1024}}) {
        SCOPED_TRACE(testing::Message() << as_branch << with_bias << " " << in << " to " << out);
        const Fp8Twins x({batch, length, in}, 1, kE4m3, at::kBFloat16),
            weight({out, in}, 0.5, kE4m3, at::kFloat), bias({out}, 1, kE4m3, at::kFloat);
        const at::Tensor dy = Fp8Twins({batch, length, out}, 1, kE5m2, at::kFloat).exact.detach();
        at::Tensor y;
        {
          const compat::Autocast autocast(compat::device("cuda"), true);
          const at::Tensor used = with_bias ? bias.real : at::Tensor();
          const auto run = [&] {
            if (!as_branch) return ops::linear(x.real, weight.real, used).to(at::kFloat);
            const Branch branch = ops::linear_branch(x.real, weight.real, used);
            return branch.bias.defined() ? branch.value.to(at::kFloat) + branch.bias
                                         : branch.value.to(at::kFloat);
          };
          const WithFp8Products fp8(true);
          y = run();
        }
        (y * dy.to(at::kFloat)).sum().backward();
        const at::Tensor y2 =
            at::linear(x.exact, weight.exact, with_bias ? bias.exact : at::Tensor());
        (y2 * dy).sum().backward();
        const auto expect = [&](const at::Tensor& got, const at::Tensor& want,
                                const at::Tensor& size, double depth, bool forward,
                                const char* what) {
          expect_within(got, want, 3 * kBf16 * size + fp8_adding(depth, forward) * size, what);
          expect_close(got, want, kCloseProduct, what);
        };
        expect(y, y2, at::linear(x.size(), weight.size()) + bias.size(), in, true, "y");
        expect(x.real.grad(), x.exact.grad(), dy.abs().matmul(weight.size()), out, false, "dx");
        expect(weight.real.grad(), weight.exact.grad(),
               matrix_of(dy.abs()).t().matmul(matrix_of(x.size())), batch * length, false,
               "dweight");
        EXPECT_EQ(weight.real.grad().scalar_type(), at::kFloat);
        if (with_bias)
          expect_within(bias.real.grad(), bias.exact.grad(), 0x1p-12 * matrix_of(dy.abs()).sum(0),
                        "dbias");
      }
}

TEST_F(Fp8Products, AddUpTheGradientsOfASharedWeight) {
  const Fp8Twins weight({48, 64}, 0.5, kE4m3, at::kFloat);
  at::Tensor loss, loss2, size;
  const auto add = [](at::Tensor& sum, const at::Tensor& part) {
    sum = sum.defined() ? sum + part : part;
  };
  {
    const compat::Autocast autocast(compat::device("cuda"), true);
    const at::Tensor shared = shared_weight(weight.real);
    EXPECT_FALSE(shared.is_same(weight.real));
    for (const bool in_fp8 : {true, true, false, true}) {
      const WithFp8Products fp8(in_fp8);
      const Fp8Twins x({3, 37, 64}, 1, kE4m3, at::kBFloat16);
      const at::Tensor dy = Fp8Twins({3, 37, 48}, 1, kE5m2, at::kFloat).exact.detach();
      add(loss, (ops::linear(x.real, shared).to(at::kFloat) * dy.to(at::kFloat)).sum());
      add(loss2, (at::linear(x.exact, weight.exact) * dy).sum());
      add(size, matrix_of(dy.abs()).t().matmul(matrix_of(x.size())));
    }
  }
  loss.backward();
  loss2.backward();
  expect_within(weight.real.grad(), weight.exact.grad(),
                (fp8_adding(3 * 37, false) + 4 * kFloat) * size, "dweight");
  expect_close(weight.real.grad(), weight.exact.grad(), kCloseProduct, "dweight");
}

// As attention takes a bias, whose gradient it sums up itself.
TEST_F(Fp8Products, OfLinearLayersTakeABiasWithoutAGradient) {
  const Fp8Twins x({3, 37, 64}, 1, kE4m3, at::kBFloat16), weight({48, 64}, 0.5, kE4m3, at::kFloat);
  const at::Tensor bias = numbers({48});
  const compat::Autocast autocast(compat::device("cuda"), true);
  const WithFp8Products fp8(true);
  const auto gradients = [&](const at::Tensor& used) {
    x.real.mutable_grad() = weight.real.mutable_grad() = at::Tensor();
    ops::linear(x.real, weight.real, used).to(at::kFloat).square().sum().backward();
    return std::pair{x.real.grad().clone(), weight.real.grad().clone()};
  };
  const at::Tensor trained = leaf(bias);
  const auto [dx, dweight] = gradients(trained);
  const auto [dx2, dweight2] = gradients(bias);
  EXPECT_TRUE(dx.equal(dx2));
  EXPECT_TRUE(dweight.equal(dweight2));
  EXPECT_TRUE(trained.grad().defined());
  EXPECT_FALSE(bias.grad().defined());
}

// Between its products an MLP rounds once more: y to e4m3, its gradient to e5m2.
TEST_F(Fp8Products, OfMlpsHaveTheirGradients) {
  for (const bool gelu : {true, false})
    for (const bool with_bias : {true, false})
      for (const std::int64_t width : {64, 768}) {
        SCOPED_TRACE(testing::Message() << gelu << with_bias << " " << width);
        const double spread = 1 / std::sqrt(static_cast<double>(width));
        const Fp8Twins x({3, 67, width}, 1, kE4m3, at::kBFloat16),
            up({4 * width, width}, spread, kE4m3, at::kFloat),
            up_bias({4 * width}, 0.5, kE4m3, at::kFloat),
            down({width, 4 * width}, spread, kE4m3, at::kFloat),
            down_bias({width}, 1, kE4m3, at::kFloat);
        const at::Tensor dz = Fp8Twins({3, 67, width}, 1, kE5m2, at::kFloat).exact.detach();
        at::Tensor z;
        {
          const compat::Autocast autocast(compat::device("cuda"), true);
          const WithFp8Products fp8(true);
          const ops::Mlp mlp = with_bias
                                   ? ops::Mlp{up.real, up_bias.real, down.real, down_bias.real}
                                   : ops::Mlp{.up = up.real, .down = down.real};
          const Branch branch =
              gelu ? ops::mlp_gelu(x.real, mlp) : ops::mlp_relu_squared(x.real, mlp);
          z = branch.value.to(at::kFloat);
          if (branch.bias.defined()) z = z + branch.bias;
        }
        (z * dz.to(at::kFloat)).sum().backward();

        const at::Tensor h =
            at::linear(x.exact, up.exact, with_bias ? up_bias.exact : at::Tensor());
        h.retain_grad();
        const at::Tensor y = gelu ? at::gelu(h, "tanh") : at::relu(h) * at::relu(h);
        y.retain_grad();
        const at::Tensor z2 = at::linear(y, down.exact, with_bias ? down_bias.exact : at::Tensor());
        (z2 * dz).sum().backward();

        // Rounding alone loses 2^-4 of every y, and 2^-3 of every gradient of it, at most.
        expect_close(z, z2, 0x1p-4, "z");
        expect_close(x.real.grad(), x.exact.grad(), 0x1p-3, "dx");
        expect_close(up.real.grad(), up.exact.grad(), 0x1p-3, "dup");
        expect_close(down.real.grad(), down.exact.grad(), 0x1p-4, "ddown");

        // Number by number, with |f'| <= 2 (1 + |h|) and |f''| <= 2.
        const auto size_of = [](const at::Tensor& t) { return t.detach().abs(); };
        const double sum_in = 2 * kBf16 + fp8_adding(static_cast<double>(width), true),
                     sum_hidden = 2 * kBf16 + fp8_adding(4 * static_cast<double>(width), true),
                     sum_back = 2 * kBf16 + fp8_adding(static_cast<double>(width), false);
        const at::Tensor h_error = sum_in * (at::linear(x.size(), up.size()) + up_bias.size());
        const at::Tensor slope = 2 * (1 + size_of(h) + h_error);
        const at::Tensor y_moved = size_of(y) + slope * h_error;
        // Numbers far below the largest lose up to 2^-18 of that.
        const at::Tensor y_error =
            slope * h_error + fp8_form(kE4m3).rounding * y_moved + 0x1p-17 * y_moved.max();
        expect_within(
            z, z2,
            at::linear(y_error, down.size()) +
                sum_hidden * (at::linear(y_moved + y_error, down.size()) + down_bias.size()),
            "z");
        const at::Tensor dy_size = dz.abs().matmul(down.size());
        const at::Tensor dh_before = sum_back * dy_size * slope + 2 * h_error * dy_size;
        const at::Tensor dh_moved = size_of(h.grad()) + dh_before;
        const at::Tensor dh_error =
            dh_before + fp8_form(kE5m2).rounding * dh_moved + 0x1p-30 * dh_moved.max();
        const at::Tensor dh_size = dh_moved + dh_error;
        const double adding = 2 * kBf16 + fp8_adding(4 * static_cast<double>(width), false);
        expect_within(x.real.grad(), x.exact.grad(),
                      (dh_error + adding * dh_size).matmul(up.size()), "dx");
        expect_within(up.real.grad(), up.exact.grad(),
                      matrix_of(dh_error + adding * dh_size).t().matmul(matrix_of(x.size())),
                      "dup");
        expect_within(
            down.real.grad(), down.exact.grad(),
            matrix_of(dz.abs()).t().matmul(matrix_of(y_error + adding * (y_moved + y_error))),
            "ddown");
        if (with_bias)
          expect_within(up_bias.real.grad(), up_bias.exact.grad(),
                        matrix_of(dh_before + 0x1p-16 * dh_size).sum(0), "dup_bias");
      }
}

// Off means off: the same bits as if fp8 did not exist. On, it is asked for only in training.
TEST_F(Fp8Products, AreMadeOnlyWhereAskedFor) {
  const at::Tensor x = numbers({64, 64}, at::kBFloat16), weight = numbers({64, 64});
  const compat::Autocast autocast(compat::device("cuda"), true);
  const auto product = [&](bool fp8, bool training, bool kernels) {
    const at::AutoGradMode mode(training);
    const WithFp8Products with(fp8);
    const WithoutOurKernels without(!kernels);
    return ops::linear(x, weight).detach();
  };
  const at::Tensor plain = product(false, true, true);
  EXPECT_FALSE(product(true, true, true).equal(plain));
  EXPECT_TRUE(product(false, true, true).equal(plain));
  EXPECT_TRUE(product(true, false, true).equal(product(false, false, true)));
  EXPECT_TRUE(product(true, true, false).equal(product(false, true, false)));
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
