#include "torch_commands/device_rates.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "compat/device.h"

namespace mgdm::torch_commands {
namespace {

constexpr int kTurns = 5, kRepeats = 10;

double least_seconds(c10::Device device, const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  body();  // libraries start
  double least = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    compat::synchronize(device);
    const auto began = Clock::now();
    for (int i = 0; i < kRepeats; ++i) body();
    compat::synchronize(device);
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count() / kRepeats;
    least = turn == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

}  // namespace

DeviceRates measure_rates(c10::Device device, std::int64_t copied_bytes, std::int64_t side) {
  const at::NoGradGuard no_grad;
  const auto options = at::TensorOptions().device(device);
  DeviceRates rates;
  {
    const at::Tensor from = at::zeros({copied_bytes}, options.dtype(at::kByte));
    const at::Tensor to = at::empty_like(from);
    rates.bytes_per_second =
        2 * static_cast<double>(copied_bytes) / least_seconds(device, [&] { to.copy_(from); });
  }
  // Debian's LibTorch for arm64 has no products in bf16.
  const at::ScalarType type = device.is_cuda() ? at::kBFloat16 : at::kFloat;
  const at::Tensor a = at::randn({side, side}, options.dtype(type)), b = at::randn_like(a);
  at::Tensor out = at::empty_like(a);
  const auto n = static_cast<double>(side);
  rates.flop_per_second = 2 * n * n * n / least_seconds(device, [&] { at::mm_out(out, a, b); });
  return rates;
}

}  // namespace mgdm::torch_commands
