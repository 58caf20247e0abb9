#ifdef MGDM_CUDA

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <utility>

#include "ops/cuda/bias_activation.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/hopper/activated_product.h"
#include "ops/cuda/quicker.h"
#include "ops/cuda/tensor_products.h"

namespace mgdm::ops::cuda {
namespace {

// Alone, and its rows still in the cache, our product looks better than within a network: a former
// version of it took 218 us there for gelu's forward product of 65536 x 1536 x 384, the library
// 178. So it must be clearly the quicker one.
constexpr float kOursClearly = 0.75f;

// y = f(product + bias) with product = x U^T, and z = y D^T. All are matrices in bf16, the bias is
// float. The activation is part of the products where there are kernels for that and they are
// quicker, else a pass of its own. Forward and backward are free to choose differently: all ways
// keep the same for backward (bias_activation.h).
struct Mlp {
  Activation activation;
  at::Tensor up, up_bias, down;

  bool keeps_product() const { return activation == Activation::kGelu; }
  bool may_fuse() const { return activated_product_takes(up.size(0), up.size(1)); }

  Quicker::Sizes sizes(std::int64_t rows) const {
    return {rows, up.size(0), up.size(1), static_cast<std::int64_t>(activation)};
  }

  // The operations of the product with the rows of x.
  static double flop(const at::Tensor& product, const at::Tensor& x) {
    return 2 * static_cast<double>(product.numel()) * static_cast<double>(x.size(1));
  }

  struct Hidden {
    at::Tensor y, kept;
    bool has_bias;  // what is kept
  };

  Hidden hidden(const at::Tensor& x) const {
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto in_two = [&] { return by_pass(x); };
    const auto in_one = [&] { return by_library(x); };
    static Quicker quicker;
    const bool one = activation == Activation::kGelu && up_bias.defined() &&
                     quicker.second(sizes(x.size(0)), may_tune(), stream, in_two, in_one);
    const auto others = [&] { return one ? in_one() : in_two(); };
    const auto ours = [&] { return by_our_product(x); };
    static Quicker ours_quicker(kOursClearly);
    const bool fused =
        may_fuse() && ours_quicker.second(sizes(x.size(0)), may_tune(), stream, others, ours);
    return fused ? ours() : others();
  }

  Hidden by_our_product(const at::Tensor& x) const {
    const at::Tensor y = at::empty({x.size(0), up.size(0)}, x.options());
    const at::Tensor product = keeps_product() ? at::empty_like(y) : at::Tensor();
    const KernelWork work("product + activation, forward", bytes_of({x, up, product, y}),
                          flop(y, x));
    launch_activated_product({.activation = activation,
                              .rows = x.size(0),
                              .columns = up.size(0),
                              .depth = x.size(1),
                              .x = x.const_data_ptr(),
                              .weight = up.const_data_ptr(),
                              .bias = floats(up_bias),
                              .product = keeps_product() ? product.data_ptr() : nullptr,
                              .out = y.data_ptr()},
                             c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return of_product(product, y);
  }

  // The activation is a pass of its own.
  Hidden by_pass(const at::Tensor& x) const {
    const at::Tensor product = product_of(x, up);
    const at::Tensor y = keeps_product() ? at::empty_like(product) : product;
    const KernelWork work("bias + activation, forward", bytes_of({product, y}));
    launch_bias_activation(activation, product.const_data_ptr(), floats(up_bias), y.data_ptr(),
                           product.size(0), product.size(1), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return of_product(product, y);
  }

  // The hidden rows of a product without its bias.
  Hidden of_product(const at::Tensor& product, const at::Tensor& y) const {
    return keeps_product() ? Hidden{y, product, /*has_bias=*/false} : Hidden{y, y, true};
  }

  // cuBLASLt's own gelu, which takes the bias rounded.
  Hidden by_library(const at::Tensor& x) const {
    const at::Tensor sum = at::empty({x.size(0), up.size(0)}, x.options());
    const at::Tensor y =
        product_of(x, up, {.bias = up_bias.to(at::kBFloat16), .gelu = true, .sum = sum});
    return {y, sum, /*has_bias=*/true};
  }

  struct HiddenGradients {
    at::Tensor dproduct, dbias, workspace;

    HiddenGradients(at::Tensor gradient, const at::Tensor& bias, std::size_t bytes)
        : dproduct(std::move(gradient)) {
      if (!bias.defined()) return;
      dbias = at::empty_like(bias);
      workspace = at::empty({static_cast<std::int64_t>(bytes / sizeof(float))}, bias.options());
    }

    float* dbias_at() const { return dbias.defined() ? dbias.data_ptr<float>() : nullptr; }
    float* workspace_at() const {
      return workspace.defined() ? workspace.data_ptr<float>() : nullptr;
    }
  };

  HiddenGradients hidden_gradients(const at::Tensor& dz, const at::Tensor& kept,
                                   bool has_bias) const {
    const float* const bias = has_bias ? nullptr : floats(up_bias);  // that is still to be added
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto in_two = [&] { return gradients_by_pass(dz, kept, bias); };
    const auto in_one = [&] { return gradients_by_library(dz, kept); };
    static Quicker quicker;
    const bool one = keeps_product() && has_bias &&
                     quicker.second(sizes(dz.size(0)), may_tune(), stream, in_two, in_one);
    const auto others = [&] { return one ? in_one() : in_two(); };
    const auto ours = [&] { return gradients_by_our_product(dz, kept, bias); };
    static Quicker ours_quicker(kOursClearly);
    const bool fused =
        may_fuse() && ours_quicker.second(sizes(dz.size(0)), may_tune(), stream, others, ours);
    return fused ? ours() : others();
  }

  HiddenGradients gradients_by_our_product(const at::Tensor& dz, const at::Tensor& kept,
                                           const float* bias) const {
    HiddenGradients made(at::empty_like(kept), up_bias, activated_product_workspace(kept.size(1)));
    const KernelWork work("product + activation, backward",
                          bytes_of({dz, down, kept, made.dproduct}), flop(kept, dz));
    launch_activated_product_backward({.activation = activation,
                                       .rows = kept.size(0),
                                       .columns = kept.size(1),
                                       .depth = dz.size(1),
                                       .x = dz.const_data_ptr(),
                                       .weight = down.const_data_ptr(),
                                       .bias = bias,
                                       .product = kept.data_ptr(),
                                       .out = made.dproduct.data_ptr()},
                                      made.dbias_at(), made.workspace_at(),
                                      c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return made;
  }

  HiddenGradients gradients_by_pass(const at::Tensor& dz, const at::Tensor& kept,
                                    const float* bias) const {
    HiddenGradients made(at::empty_like(kept), up_bias, column_sum_workspace(kept.size(1)));
    const at::Tensor dy = dx_of(dz, down);
    const KernelWork work("bias + activation, backward", bytes_of({dy, kept, made.dproduct}));
    launch_bias_activation_backward(activation, dy.const_data_ptr(), kept.const_data_ptr(), bias,
                                    made.dproduct.data_ptr(), made.dbias_at(), made.workspace_at(),
                                    kept.size(0), kept.size(1), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return made;
  }

  // gelu's slope is part of cuBLASLt's product; `sum` has the bias. Sums over rows within it took
  // four times as long as a pass for them.
  HiddenGradients gradients_by_library(const at::Tensor& dz, const at::Tensor& sum) const {
    HiddenGradients made(multiply(dz, false, down, false, {.slope_at = sum}), up_bias,
                         column_sum_workspace(sum.size(1)));
    const KernelWork work("bias gradient", bytes_of({made.dproduct}));
    launch_column_sum(made.dproduct.const_data_ptr(), made.dbias_at(), made.workspace_at(),
                      sum.size(0), sum.size(1), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return made;
  }
};

// The parameters get the gradients; products take them in bf16.
struct MlpFunction : Function<MlpFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& up_parameter, const at::Tensor& down_parameter,
                            const at::Tensor& up, const std::optional<at::Tensor>& up_bias,
                            const at::Tensor& down, const std::optional<at::Tensor>& stream,
                            std::int64_t activation) {
    const c10::cuda::CUDAGuard guard(x.device());
    const Mlp mlp{static_cast<Activation>(activation), up, tensor_or_none(up_bias), down};
    save_weight(context, 1, up_parameter);
    save_weight(context, 2, down_parameter);
    context->saved_data["up_type"] = up_parameter.scalar_type();
    context->saved_data["down_type"] = down_parameter.scalar_type();
    const Mlp::Hidden hidden = mlp.hidden(rows_of(x));
    context->save_for_backward({x, up, mlp.up_bias, down, hidden.kept, hidden.y});
    context->saved_data["activation"] = activation;
    context->saved_data["has_bias"] = hidden.has_bias;
    context->saved_data["on_stream"] = stream.has_value();
    return product_of(hidden.y, down, {.onto = stream ? rows_of(*stream) : at::Tensor()})
        .view(x.sizes());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &kept = saved[4], &y = saved[5];
    const Mlp mlp{static_cast<Activation>(context->saved_data["activation"].toInt()), saved[1],
                  saved[2], saved[3]};
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dz = rows_of(gradients[0].contiguous());
    const auto type = [&](const char* name) { return context->saved_data[name].toScalarType(); };
    const at::Tensor ddown = weight_gradient_of(context, 2, dz, y, type("down_type"));
    const Mlp::HiddenGradients hidden =
        mlp.hidden_gradients(dz, kept, context->saved_data["has_bias"].toBool());
    const at::Tensor dup = weight_gradient_of(context, 1, hidden.dproduct, x, type("up_type"));
    const bool on_stream = context->saved_data["on_stream"].toBool();
    return {dx_of(hidden.dproduct, mlp.up).view(x.sizes()), dup, ddown, {}, hidden.dbias, {},
            on_stream ? gradients[0] : at::Tensor(),        {}};
  }
};

// gelu(x U^T + u) with nobody to ask for gradients: nothing else is kept, which spares a pass.
at::Tensor gelu_alone(const at::Tensor& x, const at::Tensor& up, const at::Tensor& bias) {
  const auto by_library = [&] {
    return product_of(x, up, {.bias = bias.to(at::kBFloat16), .gelu = true});
  };
  const auto by_kernel = [&] {
    at::Tensor y = at::empty({x.size(0), up.size(0)}, x.options());
    const KernelWork work("product + activation, forward", bytes_of({x, up, y}), Mlp::flop(y, x));
    launch_activated_product({.activation = Activation::kGelu,
                              .rows = x.size(0),
                              .columns = up.size(0),
                              .depth = x.size(1),
                              .x = x.const_data_ptr(),
                              .weight = up.const_data_ptr(),
                              .bias = floats(bias),
                              .product = nullptr,
                              .out = y.data_ptr()},
                             c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
  };
  static Quicker quicker(kOursClearly);
  const bool ours = bias.scalar_type() == at::kFloat &&
                    activated_product_takes(up.size(0), up.size(1)) &&
                    quicker.second({x.size(0), up.size(0), up.size(1)}, may_tune(),
                                   c10::cuda::getCurrentCUDAStream(), by_library, by_kernel);
  return ours ? by_kernel() : by_library();
}

// A GPT-2's hidden rows are four times as wide as the stream, and nobody needs them for long: at
// most so many at a time, which leaves the products large.
constexpr std::int64_t kMostHiddenRows = 1 << 15;

// gelu(x U^T + u) D^T with nobody to ask for gradients.
at::Tensor mlp_alone(const at::Tensor& x, const ops::Mlp& mlp) {
  const at::Tensor up = in_bf16_of(mlp.up), down = in_bf16_of(mlp.down);
  at::Tensor z = at::empty({x.size(0), down.size(0)}, x.options());
  constexpr std::int64_t kUnit = 128;  // rows of a product's tile
  const auto over = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t pieces = std::max<std::int64_t>(1, over(x.size(0), kMostHiddenRows));
  const std::int64_t step = over(x.size(0), kUnit * pieces) * kUnit;
  for (std::int64_t first = 0; first < x.size(0); first += step) {
    const std::int64_t end = std::min(first + step, x.size(0));
    product_of(gelu_alone(x.slice(0, first, end), up, mlp.up_bias), down,
               {.out = z.slice(0, first, end)});
  }
  return z;
}

Branch mlp_of(const at::Tensor& x, const ops::Mlp& mlp, Activation activation,
              const at::Tensor& stream = {}) {
  if (!at::GradMode::is_enabled() && activation == Activation::kGelu && mlp.up_bias.defined()) {
    const c10::cuda::CUDAGuard guard(x.device());
    return {mlp_alone(rows_of(x), mlp).view(x.sizes()), mlp.down_bias};
  }
  return {MlpFunction::apply(x, mlp.up, mlp.down, in_bf16_of(mlp.up), optional(mlp.up_bias),
                             in_bf16_of(mlp.down), optional(stream),
                             static_cast<std::int64_t>(activation)),
          mlp.down_bias, /*is_stream=*/stream.defined()};
}

}  // namespace

bool mlp_takes(const at::Tensor& x, const ops::Mlp& mlp) {
  return linear_takes(x, mlp.up) && mlp.down.size(0) == mlp.up.size(1);
}

Branch mlp_gelu(const at::Tensor& x, const ops::Mlp& mlp) {
  return mlp_of(x, mlp, Activation::kGelu);
}

Branch mlp_relu_squared(const at::Tensor& x, const ops::Mlp& mlp, const at::Tensor& stream) {
  return mlp_of(x, mlp, Activation::kReluSquared, stream);
}

}  // namespace mgdm::ops::cuda

#endif
