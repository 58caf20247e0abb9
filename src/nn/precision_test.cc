// Mixed precision: what stays fp32, and how far bf16 on CUDA may be from fp32 on the CPU.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compat/device.h"
#include "compat/test_support.h"
#include "nn/model.h"
#include "nn/tensor_bytes.h"
#include "nn/test_support.h"
#include "ops/our_kernels.h"

namespace mgdm::nn {
namespace {

constexpr std::int64_t kBatch = 4, kLength = 32, kLayers = 2, kLoops = 2;

// Wide enough for the CUDA kernels.
ModelSettings settings_of(const std::string& architecture) {
  ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = kLayers;
  settings.loops = kLoops;
  settings.heads = 4;
  settings.width = 128;
  settings.positions = kLength;
  settings.dropout = 0;
  settings.shift = architecture == "gpt2";
  settings.frozen_embedding = architecture == "looped";
  return settings;
}

Input input_on(c10::Device device) {
  const at::Tensor count = at::arange(kBatch * kLength).view({kBatch, kLength});
  return {(count * 7919 % 31).to(device), (count % 3 == 0).to(device), /*training=*/true};
}

TEST(Precision, LogitsAreFloats) {
  for (const c10::Device device : compat::devices())
    for (const std::string architecture : {"gpt2", "looped"})
      for (const bool bf16 : {false, true}) {
        ModelSettings settings = settings_of(architecture);
        const auto model = steady(settings);
        settings.causal = settings.shift = true;
        settings.frozen_embedding = false;
        const auto causal = steady(settings);
        model->to(device);
        causal->to(device);
        const compat::Autocast autocast(device, bf16);
        for (const Prediction& prediction : model->forward(input_on(device)).predictions)
          EXPECT_EQ(prediction.logits().scalar_type(), at::kFloat) << architecture << " " << device;
        Cache cache;
        EXPECT_EQ(causal->next_logits(input_on(device).tokens, cache).scalar_type(), at::kFloat);
      }
}

TEST(Precision, FullPrecisionEndsWithItsScope) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const c10::Device cuda = compat::device("cuda");
  const at::Tensor x = at::zeros({8, 8}, at::TensorOptions().device(cuda).dtype(at::kFloat));
  {
    const compat::Autocast autocast(cuda, true);
    {
      const compat::FullPrecision full(cuda);
      EXPECT_EQ(x.matmul(x).scalar_type(), at::kFloat);
    }
    EXPECT_EQ(x.matmul(x).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(x.matmul(x).scalar_type(), at::kFloat);
}

double rms(const at::Tensor& x) { return std::sqrt((x * x).mean().item<double>()); }

// `roundings` of at most 2^-8 each lie between a number and what it is made from. Their signs are
// as good as random, so on the whole they add up to sqrt(roundings) 2^-8 of the numbers' size at
// most. One of ten thousand numbers is off by four times as much as most, and one that was made of
// larger numbers than the rest by twice as much again.
void expect_rounded(const at::Tensor& got, const at::Tensor& expected, double roundings,
                    const std::string& what) {
  const at::Tensor value = expected.detach().to(at::kDouble);
  const at::Tensor error = (host_copy(got).to(at::kDouble) - value).abs();
  const double share = std::sqrt(roundings) * 0x1p-8;
  EXPECT_LE(rms(error), share * rms(value)) << what;
  EXPECT_TRUE((error <= 8 * share * value.abs().clamp_min(rms(value))).all().item<bool>()) << what;
}

std::vector<at::Tensor> logits_of(const Output& output) {
  std::vector<at::Tensor> all;
  for (const Prediction& prediction : output.predictions) all.push_back(prediction.logits());
  return all;
}

// LoRA's base in bf16 beside activations in fp32, which mixed precision rounds or nobody does.
TEST(Precision, AFrozenBaseInBf16IsWidenedWithoutMixedPrecision) {
  ModelSettings settings = settings_of("llama");
  settings.causal = settings.shift = true;
  settings.lora.rank = 2;
  settings.lora.base = "bf16";
  const at::NoGradGuard no_grad;
  const auto model = steady(settings);
  const at::Tensor exact = model->forward(input_on(c10::Device(c10::kCPU))).last().logits();
  for (const c10::Device device : compat::devices()) {
    model->to(device);
    const at::Tensor same = model->forward(input_on(device)).last().logits();
    // Activations in bf16 would cost 2^-9. LibTorch's attention is coarser on a GPU, by 5e-5 on an
    // H200.
    const double share = device.is_cuda() ? 0x1p-12 : 1e-5;
    EXPECT_LE(rms(host_copy(same) - exact), share * rms(exact)) << device;
    const compat::Autocast autocast(device, true);
    EXPECT_EQ(model->forward(input_on(device)).last().logits().scalar_type(), at::kFloat) << device;
  }
}

// Attention rounds its norm, weights, q k v, probabilities, sums, weights and output; the MLP its
// norm, weights, hidden numbers, activations (squared: twice), weights and output. Where the stream
// is bf16 it is the sum with an output that is rounded; a norm between loops is, too, and the sum
// that a loop begins with.
constexpr double kPerBlock = 7 + 7, kPerLoop = 2;

// Networks whose streams are floats, and those whose are bf16 in training.
std::vector<ModelSettings> networks() {
  std::vector<ModelSettings> all{settings_of("gpt2"), settings_of("looped"), settings_of("looped")};
  all.back().loop_norm = true;
  return all;
}

TEST(Precision, Bf16OnCudaFollowsFp32OnTheCpu) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const c10::Device cpu(c10::kCPU), cuda = compat::device("cuda");
  for (const ModelSettings& settings : networks()) {
    const std::string name = settings.architecture + (settings.loop_norm ? " with norms" : "");
    const auto exact = steady(settings), fast = steady(settings);
    fast->to(cuda);
    const std::vector<at::Tensor> expected = logits_of(exact->forward(input_on(cpu)));
    std::vector<at::Tensor> got;
    {
      const compat::Autocast autocast(cuda, true);
      got = logits_of(fast->forward(input_on(cuda)));
    }
    ASSERT_EQ(got.size(), expected.size());
    at::Tensor sum, fast_sum;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double roundings = (kPerBlock * kLayers + kPerLoop) * static_cast<double>(i + 1) + 1;
      expect_rounded(got[i], expected[i], roundings, name + " logits");
      // Or bf16 was not used at all.
      const at::Tensor error = host_copy(got[i]) - expected[i].detach();
      EXPECT_GT(rms(error), 0x1p-12 * rms(expected[i].detach()));
      const at::Tensor factors = at::arange(expected[i].numel()).view(expected[i].sizes()).sin();
      const at::Tensor part = (expected[i] * factors).sum();
      const at::Tensor fast_part = (got[i] * factors.to(cuda)).sum();
      sum = sum.defined() ? sum + part : part;
      fast_sum = fast_sum.defined() ? fast_sum + fast_part : fast_part;
    }
    sum.backward();
    fast_sum.backward();
    // The way there and the way back, which rounds gradients by numbers and by weights.
    const double roundings = 3 * (kPerBlock * kLayers + kPerLoop) * static_cast<double>(got.size());
    for (std::size_t i = 0; i < exact->parameters().all().size(); ++i) {
      const Parameter& parameter = exact->parameters().all()[i];
      expect_rounded(fast->parameters().all()[i].value.grad(), parameter.value.grad(), roundings,
                     name + " gradient of " + parameter.name);
    }
  }
}

// Our products add up what three loops give a weight; those of LibTorch, and of loops that are
// computed again, each give their own.
TEST(Precision, LoopsShareTheirWeightsGradients) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const c10::Device cuda = compat::device("cuda");
  const auto gradients = [&](bool loop_norm, bool ours, bool recompute) {
    ModelSettings settings = settings_of("looped");
    settings.loops = 3;
    settings.loop_norm = loop_norm;
    const auto model = steady(settings);
    model->to(cuda);
    const ops::WithoutOurKernels without(!ours);
    Input input = input_on(cuda);
    input.recompute = recompute;
    at::Tensor sum;
    {
      const compat::Autocast autocast(cuda, true);
      for (const at::Tensor& logits : logits_of(model->forward(input))) {
        const at::Tensor factors = at::arange(logits.numel()).view(logits.sizes()).sin().to(cuda);
        const at::Tensor part = (logits * factors).sum();
        sum = sum.defined() ? sum + part : part;
      }
    }
    sum.backward();
    std::vector<at::Tensor> all;
    for (const Parameter& parameter : model->parameters().all())
      all.push_back(host_copy(parameter.value.grad()));
    return all;
  };
  // The way there and the way back, of both that are compared.
  const double roundings = 2 * 3 * (kPerBlock * kLayers + kPerLoop) * 3;
  for (const bool loop_norm : {false, true}) {
    const std::vector<at::Tensor> got = gradients(loop_norm, true, false);
    for (const auto& [ours, recompute] : {std::pair{false, false}, {true, true}}) {
      const std::vector<at::Tensor> want = gradients(loop_norm, ours, recompute);
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        expect_rounded(got[i], want[i], roundings,
                       (ours ? "of again " : "of LibTorch ") + std::to_string(i));
    }
  }
}

}  // namespace
}  // namespace mgdm::nn
