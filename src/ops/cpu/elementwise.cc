#include "ops/cpu/elementwise.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mutex>

#include "compat/parallel.h"
#include "ops/cpu/lanes.h"

namespace mgdm::ops::cpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Four numbers at a time, the last of them filled up with zeros:
// out[i] = f(i, inputs[i]...) for all of them.
template <class F, class... Input>
at::Tensor map(const F& f, const at::Tensor& first, const Input&... more) {
  at::Tensor out = at::empty_like(first);
  const auto loop = [&f, to = out.data_ptr<float>()](std::int64_t begin, std::int64_t end,
                                                     const auto*... from) {
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) store(to + i, f(i, load(from + i)...));
    if (i == end) return;
    const auto part = [&](const float* source) {
      Lanes x{};
      __builtin_memcpy(&x, source, static_cast<std::size_t>(end - i) * sizeof(float));
      return x;
    };
    const Lanes y = f(i, part(from + i)...);
    __builtin_memcpy(to + i, &y, static_cast<std::size_t>(end - i) * sizeof(float));
  };
  constexpr std::int64_t kGrain = 1 << 14;
  const std::int64_t count = first.numel(), parts = (count + kGrain - 1) / kGrain;
  compat::parallel_for(0, parts, 1, [&](std::int64_t from_part, std::int64_t to_part) {
    loop(from_part * kGrain, std::min(count, to_part * kGrain), first.template data_ptr<float>(),
         more.template data_ptr<float>()...);
  });
  return out;
}

constexpr float kRoot = 0.7978845608028654f;  // sqrt(2 / pi)
constexpr float kCube = 0.044715f;

struct Gelu : torch::autograd::Function<Gelu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given) {
    const at::Tensor x = given.contiguous();
    context->save_for_backward({x});
    return map([](std::int64_t,
                  Lanes v) { return v / (1.0f + exp(-2 * kRoot * (v + kCube * v * v * v))); },
               x);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    return {map(
        [](std::int64_t, Lanes v, Lanes gradient) {
          const Lanes s = 1.0f / (1.0f + exp(-2 * kRoot * (v + kCube * v * v * v)));
          return gradient * (s + v * s * (1.0f - s) * 2 * kRoot * (1.0f + 3 * kCube * v * v));
        },
        x, gradients[0].contiguous())};
  }
};

at::Tensor keep_some(const at::Tensor& x, const Keep& keep) {
  return map([keep](std::int64_t i, Lanes v) { return v * keep(static_cast<std::uint32_t>(i)); },
             x);
}

struct Dropout : torch::autograd::Function<Dropout> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, double dropped) {
    const std::uint64_t key = dropout_key();
    context->saved_data["dropped"] = dropped;
    context->saved_data["key"] = static_cast<std::int64_t>(key);
    return keep_some(x.contiguous(), Keep(dropped, key));
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const Keep keep(context->saved_data["dropped"].toDouble(),
                    static_cast<std::uint64_t>(context->saved_data["key"].toInt()));
    return {keep_some(gradients[0].contiguous(), keep), at::Tensor()};
  }
};

}  // namespace

bool takes(const at::Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

at::Tensor gelu(const at::Tensor& x) { return Gelu::apply(x); }

at::Tensor dropout(const at::Tensor& x, double dropped) { return Dropout::apply(x, dropped); }

std::uint64_t dropout_key() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

}  // namespace mgdm::ops::cpu
