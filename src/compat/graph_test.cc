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

// To wait for the device makes a recording void. Another one is not the worse for it.
TEST(StepGraph, WhatCannotBeRecordedDoesNotSpoilOtherRecordings) {
  for (const c10::Device device : devices()) {
    if (device.is_cpu()) continue;  // nothing is recorded
    const at::Tensor sum = at::zeros({3}, at::TensorOptions().device(device).dtype(at::kFloat));
    const auto waits = [&] { sum.add_(sum.sum().item<double>()); };
    StepGraph step(device, /*enabled=*/true), other(device, /*enabled=*/true);
    for (int turn = 0; turn < 4; ++turn) step.run(waits);
    EXPECT_ANY_THROW(step.run(waits));
    for (int turn = 0; turn < 6; ++turn) other.run([&] { sum.add_(1); });
    EXPECT_EQ(sum.sum().item<double>(), 18);
  }
}

}  // namespace
}  // namespace mgdm::compat
