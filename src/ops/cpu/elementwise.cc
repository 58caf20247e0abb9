#ifdef MGDM_HAVE_VECTORS

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mutex>

#include "compat/parallel.h"
#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/functions.h"
#include "ops/cpu/keep.h"

namespace mgdm::ops::cpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// work(first, count) for parts of the numbers of `like`, shared by the threads.
template <class Work>
void for_parts(const at::Tensor& like, const Work& work) {
  constexpr std::int64_t kPart = 1 << 14;
  const std::int64_t count = like.numel(), parts = (count + kPart - 1) / kPart;
  compat::parallel_for(0, parts, 1, [&](std::int64_t from, std::int64_t to) {
    const std::int64_t first = from * kPart, last = std::min(count, to * kPart);
    work(first, static_cast<std::size_t>(last - first));
  });
}

struct Gelu : torch::autograd::Function<Gelu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given) {
    const at::Tensor x = given.contiguous();
    context->save_for_backward({x});
    const at::Tensor y = at::empty_like(x);
    const float* const from = x.data_ptr<float>();
    float* const to = y.data_ptr<float>();
    for_parts(x, [&](std::int64_t first, std::size_t count) {
      gelu_loop(from + first, count, to + first);
    });
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor x = context->get_saved_variables()[0], dy = gradients[0].contiguous();
    const at::Tensor dx = at::empty_like(x);
    const float *const from = x.data_ptr<float>(), *const gradient = dy.data_ptr<float>();
    float* const to = dx.data_ptr<float>();
    for_parts(x, [&](std::int64_t first, std::size_t count) {
      gelu_gradient_loop(from + first, gradient + first, count, to + first);
    });
    return {dx};
  }
};

at::Tensor keep_some(const at::Tensor& x, const Keep& keep) {
  const at::Tensor y = at::empty_like(x);
  const float* const from = x.data_ptr<float>();
  float* const to = y.data_ptr<float>();
  for_parts(x, [&](std::int64_t first, std::size_t count) {
    dropout_loop(keep, static_cast<std::uint32_t>(first), from + first, count, to + first);
  });
  return y;
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

#endif  // MGDM_HAVE_VECTORS
