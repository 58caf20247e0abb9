// What the operations of training that are our own on the CPU cost (ops/cpu): processor time on one
// thread, forward and backward, at the sizes of a step of the paper's 6M network.
#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>

#include "compat/device.h"
#include "compat/parallel.h"
#include "formats/markdown_table.h"
#include "measure.h"
#include "ops/attention.h"
#include "ops/layers.h"
#include "ops/residual_norm.h"

namespace mgdm::bench {
namespace {

// Of this process: what others on the machine do does not count.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Seconds {
  double forward = 1e9, backward = 1e9;
};

// The least of many calls of operation(x), x with a gradient, and of going back from it.
Seconds least(at::Tensor x, const std::function<at::Tensor(const at::Tensor&)>& operation) {
  x.set_requires_grad(true);
  Seconds seconds;
  const double end = processor_seconds() + 2;
  while (processor_seconds() < end) {
    const double start = processor_seconds();
    const at::Tensor y = operation(x);
    const double middle = processor_seconds();
    const at::Tensor gradient = y.detach();
    const double then = processor_seconds();
    y.backward(gradient);
    seconds.forward = std::min(seconds.forward, middle - start);
    seconds.backward = std::min(seconds.backward, processor_seconds() - then);
    x.mutable_grad() = at::Tensor();
  }
  return seconds;
}

void print_table() {
  using formats::Align;
  compat::use_threads(1);
  compat::keep_freed_memory();  // as training does
  formats::MarkdownTable table(
      {{"operation"}, {"forward, ms", Align::kRight}, {"backward, ms", Align::kRight}});
  const auto add = [&](const std::string& name, const Seconds& seconds) {
    table.add_row({name, fmt::format("{:.2f}", 1e3 * seconds.forward),
                   fmt::format("{:.2f}", 1e3 * seconds.backward)});
  };
  struct Rows {
    std::int64_t batch, length;
  };
  for (const Rows& rows : {Rows{32, 64}, Rows{16, 164}})
    for (const double dropped : {0.0, 0.1})
      for (const bool causal : {false, true})
        add(fmt::format("attention · length {} · dropout {}{}", rows.length, dropped,
                        causal ? " · causal" : ""),
            least(at::randn({rows.batch, rows.length, 3, 12, 32}), [&](const at::Tensor& qkv) {
              return ops::attention(qkv, {.causal = causal, .scale = 0.18, .dropout = dropped});
            }));
  add("gelu · 2048 x 1536", least(at::randn({2048, 1536}), ops::gelu));
  add("dropout · 2048 x 384",
      least(at::randn({2048, 384}), [](const at::Tensor& x) { return ops::dropout(x, 0.1); }));
  fmt::print("{}; one thread\n\n{}", machine(), table.text());
}

}  // namespace
}  // namespace mgdm::bench

int main() { mgdm::bench::print_table(); }
