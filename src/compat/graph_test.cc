// A step that is recorded after some runs and then replayed, on every device.
#include "compat/graph.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "compat/test_support.h"

namespace mgdm::compat {
namespace {

// The run after four is the one that is recorded; one that fails there is recorded again.
TEST(StepGraph, AFailingRunLeavesDeviceAndStepUsable) {
  for (const c10::Device device : devices()) {
    const at::TensorOptions there = at::TensorOptions().device(device).dtype(at::kFloat);
    const at::Tensor by = at::zeros({}, there), sum = at::zeros({3}, there);
    StepGraph step(device, /*enabled=*/true);
    double want = 0;
    const auto run = [&](double value) {
      by.fill_(value);
      step.run([&] { sum.add_(by); });
      want += value;
    };
    for (const double value : {1, 2, 3, 4}) run(value);
    EXPECT_THROW(step.run([]() { throw std::runtime_error("no memory"); }), std::runtime_error);
    EXPECT_EQ(sum.sum().item<double>(), 3 * want) << device;  // as saving would read it
    for (const double value : {5, 6, 7}) run(value);
    EXPECT_EQ(sum.sum().item<double>(), 3 * want) << device;
  }
}

}  // namespace
}  // namespace mgdm::compat
