// Batches of products against their formula in double, on every device.
#include "ops/batched_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <limits>

#include "compat/test_support.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops {
namespace {

TEST(BatchedProduct, IsItsFormula) {
  for (const c10::Device device : compat::devices())
    for (const bool a_turned : {false, true})
      for (const bool b_turned : {false, true})
        for (const bool with_onto : {false, true})
          for (const bool with_out : {false, true}) {
            SCOPED_TRACE(testing::Message()
                         << device << a_turned << b_turned << with_onto << with_out);
            // Numbers that bf16 has; on a CPU the products are in float.
            const auto numbers = [&](std::int64_t rows, std::int64_t columns, bool turned) {
              const at::Tensor drawn =
                  at::randn({3, turned ? columns : rows, turned ? rows : columns})
                      .to(at::kBFloat16)
                      .to(device, device.is_cuda() ? at::kBFloat16 : at::kFloat);
              return turned ? drawn.transpose(1, 2) : drawn;
            };
            const at::Tensor a = numbers(40, 64, a_turned), b = numbers(64, 24, b_turned);
            const at::Tensor onto = numbers(40, 24, false),
                             place = at::full_like(onto, std::numeric_limits<double>::quiet_NaN());
            const double scale = 2.0315, onto_scale = -4.775;
            const BatchedProduct product{.a = a,
                                         .b = b,
                                         .scale = scale,
                                         .onto = with_onto ? onto : at::Tensor(),
                                         .onto_scale = onto_scale,
                                         .out = with_out ? place : at::Tensor()};
            EXPECT_EQ(cuda::batched_product_takes(product), device.is_cuda());
            const at::Tensor got = batched_product(product);
            if (with_out) {
              EXPECT_EQ(got.data_ptr(), place.data_ptr());
            }
            const auto exact = [](const at::Tensor& x) { return x.to(at::kCPU, at::kDouble); };
            at::Tensor want = scale * at::bmm(exact(a), exact(b));
            at::Tensor size = scale * at::bmm(exact(a).abs(), exact(b).abs());
            if (with_onto) {
              want = want + onto_scale * exact(onto);
              size = size + (onto_scale * exact(onto)).abs();
            }
            // Some 70 roundings to float, and one to what the device writes.
            const double unit = device.is_cuda() ? 0x1p-8 : 0;
            const at::Tensor bound = unit * want.abs() + 70 * 0x1p-24 * size;
            EXPECT_TRUE(((exact(got) - want).abs() <= bound).all().item<bool>());
          }
}

}  // namespace
}  // namespace mgdm::ops
