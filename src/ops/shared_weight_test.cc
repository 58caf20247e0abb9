// The gradient of a weight that is used several times, with uses made up here. layers_test.cc has
// the real ones.
#include "ops/shared_weight.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

namespace mgdm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor trained(const at::Tensor& values) { return values.clone().set_requires_grad(true); }

at::Tensor three() { return trained(at::arange(3).to(at::kFloat) + 1); }

// Onto what the uses of a test added, in their order; null: onto nothing. Not as tensors: one that
// somebody holds is copied before it becomes a parameter's gradient.
std::vector<const void*>& seen_onto() {
  static std::vector<const void*> seen;
  return seen;
}

// x w, number by number.
struct Scaled : torch::autograd::Function<Scaled> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight) {
    save_weight(context, 1, weight);
    context->save_for_backward({x, parameter_of(weight)});
    return x * weight;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dweight = weight_gradient(context, 1, [&](const at::Tensor& onto) {
      seen_onto().push_back(onto.defined() ? onto.data_ptr() : nullptr);
      const at::Tensor made = gradients[0] * saved[0];
      return onto.defined() ? onto.add_(made) : made;
    });
    return {gradients[0] * saved[1], dweight};
  }
};

class SharedWeights : public testing::Test {
 protected:
  void SetUp() override { seen_onto().clear(); }
};

TEST_F(SharedWeights, AreTheParameterInAnotherTensor) {
  const at::Tensor parameter = three(), weight = with_summed_gradient(parameter);
  EXPECT_EQ(weight.data_ptr(), parameter.data_ptr());
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_FALSE(weight.is_leaf());
  EXPECT_TRUE(parameter_of(weight).is_same(parameter));
  EXPECT_TRUE(parameter_of(parameter).is_same(parameter));
  const at::Tensor other = parameter * 2;
  EXPECT_TRUE(parameter_of(other).is_same(other));
}

TEST_F(SharedWeights, AddUpInOneTensorWhichTheParameterGets) {
  const at::Tensor parameter = three(), x = three(), weight = with_summed_gradient(parameter);
  (Scaled::apply(x, weight) + 10 * Scaled::apply(x, weight) + 100 * Scaled::apply(x, weight))
      .sum()
      .backward();
  EXPECT_TRUE(parameter.grad().equal(111 * x.detach()));
  EXPECT_TRUE(x.grad().equal(111 * parameter.detach()));
  ASSERT_EQ(seen_onto().size(), 3u);
  EXPECT_EQ(seen_onto()[0], nullptr);
  for (const std::size_t use : {1, 2})
    EXPECT_EQ(seen_onto()[use], parameter.grad().data_ptr());  // nor was it copied
}

TEST_F(SharedWeights, OneUseAfterTheOther) {
  const at::Tensor parameter = three(), same = three(), x = at::ones({3});
  const auto cubed = [&](const at::Tensor& weight) {
    return Scaled::apply(Scaled::apply(Scaled::apply(x, weight), weight), weight).sum();
  };
  cubed(with_summed_gradient(parameter)).backward();
  cubed(same).backward();
  EXPECT_TRUE(parameter.grad().equal(3 * parameter.detach().square()));
  EXPECT_TRUE(same.grad().equal(parameter.grad()));
}

TEST_F(SharedWeights, TakeGradientsOfOtherUsesToo) {
  const at::Tensor parameter = three(), x = three(), weight = with_summed_gradient(parameter);
  (Scaled::apply(x, weight) + 10 * (x * weight) + 100 * Scaled::apply(x, weight) +
   1000 * (x * parameter))
      .sum()
      .backward();
  EXPECT_TRUE(parameter.grad().equal(1111 * x.detach()));
}

TEST_F(SharedWeights, TakeThoseAlone) {
  const at::Tensor parameter = three(), x = three(), weight = with_summed_gradient(parameter);
  (x * weight + 10 * (x * weight)).sum().backward();
  EXPECT_TRUE(parameter.grad().equal(11 * x.detach()));
}

TEST_F(SharedWeights, WithoutAUseHaveNoGradient) {
  const at::Tensor parameter = three(), x = three(), weight = with_summed_gradient(parameter);
  (x * 2).sum().backward();
  EXPECT_FALSE(parameter.grad().defined());
  Scaled::apply(x, weight);  // what became of it has no part in the loss
  (x * 2).sum().backward();
  EXPECT_FALSE(parameter.grad().defined());
}

TEST_F(SharedWeights, OfTwoPassesDoNotMix) {
  const at::Tensor parameter = three(), x = three();
  const auto pass = [&](double factor) {
    const at::Tensor weight = with_summed_gradient(parameter);
    return (factor * (Scaled::apply(x, weight) + 10 * Scaled::apply(x, weight))).sum();
  };
  const at::Tensor first = pass(1), second = pass(100), third = pass(1e4);
  second.backward();
  EXPECT_TRUE(parameter.grad().equal(1100 * x.detach()));
  (first + third).backward();  // and gradients add up over backward passes
  EXPECT_TRUE(parameter.grad().equal(111111 * x.detach()));
}

TEST_F(SharedWeights, BeginAnewInEveryBackwardPassOfAGraph) {
  const at::Tensor parameter = three(), x = three(), weight = with_summed_gradient(parameter);
  const at::Tensor loss = (Scaled::apply(x, weight) + 10 * Scaled::apply(x, weight)).sum();
  const auto gradients = [&](const variable_list& of) {
    return torch::autograd::grad({loss}, of, /*grad_outputs=*/{}, /*retain_graph=*/true);
  };
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(gradients({parameter})[0].equal(11 * x.detach()));
    EXPECT_TRUE(gradients({x})[0].equal(11 * parameter.detach()));  // adds nothing to the sum
  }
  EXPECT_EQ(seen_onto().size(), 4u);
  loss.backward();
  EXPECT_TRUE(parameter.grad().equal(11 * x.detach()));
}

TEST_F(SharedWeights, AreTheWeightsThemselvesWhereNothingIsSummed) {
  const at::Tensor parameter = three(), x = three();
  EXPECT_TRUE(shared_weight(parameter).is_same(parameter));  // on the CPU
  (Scaled::apply(x, parameter) + 10 * Scaled::apply(x, parameter)).sum().backward();
  EXPECT_TRUE(parameter.grad().equal(11 * x.detach()));
  for (const void* const onto : seen_onto()) EXPECT_EQ(onto, nullptr);
}

TEST_F(SharedWeights, MayBeOneThatIsNotTrained) {
  const at::Tensor frozen = three().detach(), x = three();
  Scaled::apply(x, frozen).sum().backward();
  EXPECT_TRUE(x.grad().equal(frozen));
  EXPECT_TRUE(seen_onto().empty());
}

}  // namespace
}  // namespace mgdm::ops
