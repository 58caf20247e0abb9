#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "ops/cuda/functions.h"
#include "ops/cuda/head_loss.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

// Arguments that are no tensors, kept from forward to backward.
struct KeptForm : torch::CustomClassHolder {
  std::vector<double> factors;
  bool shift = false;
  TokenLoss form;
};

struct Inputs {
  at::TensorList hidden;
  at::Tensor head, targets, weight;
};

// The loss; with `gradients` (of the hidden states, then of the head) those instead, times *scale.
at::Tensor launch(const Inputs& inputs, const KeptForm& kept, variable_list* gradients,
                  const at::Tensor& scale) {
  const c10::cuda::CUDAGuard guard(inputs.head.device());
  const at::Tensor& first = inputs.hidden.front();
  HeadLoss arguments{};
  arguments.loops = static_cast<int>(inputs.hidden.size());
  arguments.table = inputs.head.const_data_ptr();
  arguments.table_is_bf16 = inputs.head.scalar_type() == at::kBFloat16;
  arguments.targets = inputs.targets.const_data_ptr();
  arguments.targets_are_long = true;
  arguments.weight = floats(inputs.weight);
  arguments.shift = kept.shift;
  arguments.length = first.size(1);
  arguments.reweight = kept.form.reweight;
  arguments.alpha = static_cast<float>(kept.form.alpha);
  arguments.beta = static_cast<float>(kept.form.beta);
  arguments.smoothing = static_cast<float>(kept.form.label_smoothing);
  arguments.rows = first.size(0) * first.size(1);
  arguments.columns = first.size(2);
  arguments.vocabulary = inputs.head.size(0);
  arguments.scale = floats(scale);
  for (std::size_t r = 0; r < inputs.hidden.size(); ++r) {
    arguments.hidden[r] = inputs.hidden[r].const_data_ptr();
    arguments.factor[r] = static_cast<float>(kept.factors[r]);
    if (gradients == nullptr) continue;
    gradients->push_back(at::empty_like(inputs.hidden[r]));
    arguments.dhidden[r] = gradients->back().data_ptr();
  }
  const auto floats_there = [&](at::IntArrayRef shape) {
    return at::empty(shape, inputs.head.options().dtype(at::kFloat));
  };
  if (gradients != nullptr) {
    gradients->push_back(floats_there(inputs.head.sizes()));
    arguments.dtable = gradients->back().data_ptr<float>();
  }
  at::Tensor loss = floats_there({});
  const std::size_t bytes = head_loss_workspace(arguments.columns, arguments.vocabulary);
  at::Tensor workspace = floats_there({static_cast<std::int64_t>(bytes / sizeof(float) + 1)});
  arguments.loss = loss.data_ptr<float>();
  arguments.workspace = workspace.data_ptr<float>();
  // Hidden states that do not count are not read: what it moves depends on the noise.
  const KernelWork work(gradients != nullptr ? "head and loss, backward"
                                             : "head and loss, forward");
  C10_CUDA_CHECK(launch_head_loss(arguments, c10::cuda::getCurrentCUDAStream()));
  return loss;
}

// The kernel has loss and gradients in one pass. It is asked twice all the same: what the gradients
// are to be multiplied by is known only in backward, and to read the hidden states again is cheaper
// than to read and write their gradients once more.
struct HeadLossFunction : Function<HeadLossFunction> {
  static at::Tensor forward(AutogradContext* context, at::TensorList hidden, const at::Tensor& head,
                            const at::Tensor& any_targets, const at::Tensor& any_weight,
                            const std::vector<double>& factors, bool shift, const TokenLoss& form) {
    const Inputs inputs{hidden, head, any_targets.contiguous(), any_weight.contiguous()};
    MGDM_CHECK(inputs.targets.scalar_type() == at::kLong &&
               inputs.weight.scalar_type() == at::kFloat);
    auto kept = c10::make_intrusive<KeptForm>();
    kept->factors = factors;
    kept->shift = shift;
    kept->form = form;
    variable_list saved = hidden.vec();
    saved.insert(saved.end(), {inputs.head, inputs.targets, inputs.weight});
    context->save_for_backward(saved);
    at::Tensor loss = launch(inputs, *kept, nullptr, {});
    context->saved_data["kept"] = c10::IValue::make_capsule(std::move(kept));
    return loss;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto kept =
        c10::static_intrusive_pointer_cast<KeptForm>(context->saved_data["kept"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    const std::size_t loops = saved.size() - 3;
    variable_list all;
    launch(
        {at::TensorList(saved).slice(0, loops), saved[loops], saved[loops + 1], saved[loops + 2]},
        *kept, &all, gradients[0].contiguous());
    all.resize(all.size() + 5);  // targets, weight, factors, shift, form
    return all;
  }
};

}  // namespace

bool head_loss_takes(const HiddenStates& states) {
  const at::Tensor& first = states.loops.front();
  return first.defined() && first.dim() == 3 && states.head.is_contiguous() &&
         std::ranges::all_of(states.loops, is_bf16_rows) &&
         head_loss_takes(first.size(0) * first.size(1), first.size(2), states.head.size(0),
                         static_cast<int>(states.loops.size()));
}

at::Tensor head_loss(const HiddenStates& states, const at::Tensor& targets,
                     const at::Tensor& weight, const TokenLoss& form) {
  return HeadLossFunction::apply(at::TensorList(states.loops), states.head, targets, weight,
                                 states.factors, states.shift, form);
}

}  // namespace mgdm::ops::cuda

#endif
