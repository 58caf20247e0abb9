// Mixed precision: what stays fp32.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compat/device.h"
#include "nn/model.h"

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

// Matrices that keep the size of what they are given, and nothing left at 0.
std::unique_ptr<Model> lively(const ModelSettings& settings) {
  std::unique_ptr<Model> model = make_model(settings, 3);
  const at::NoGradGuard no_grad;
  Parameters random(4);
  for (const Parameter& parameter : model->parameters().all()) {
    at::Tensor value = parameter.value;
    if (value.dim() == 1)
      value.add_(random.add("", value.sizes(), {0.1}));
    else
      value.copy_(
          random.add("", value.sizes(), {1 / std::sqrt(static_cast<double>(value.size(1)))}));
  }
  return model;
}

Input input_on(c10::Device device) {
  const at::Tensor count = at::arange(kBatch * kLength).view({kBatch, kLength});
  return {(count * 7919 % 31).to(device), (count % 3 == 0).to(device), /*training=*/true};
}

std::vector<c10::Device> devices() {
  std::vector<c10::Device> all{c10::Device(c10::kCPU)};
  if (compat::cuda_available()) all.push_back(compat::device("cuda"));
  return all;
}

TEST(Precision, LogitsAreFloats) {
  for (const c10::Device device : devices())
    for (const std::string architecture : {"gpt2", "looped"})
      for (const bool bf16 : {false, true}) {
        ModelSettings settings = settings_of(architecture);
        const auto model = lively(settings);
        settings.causal = settings.shift = true;
        settings.frozen_embedding = false;
        const auto causal = lively(settings);
        model->to(device);
        causal->to(device);
        const compat::Autocast autocast(device, bf16);
        for (const at::Tensor& logits : model->forward(input_on(device)))
          EXPECT_EQ(logits.scalar_type(), at::kFloat) << architecture << " " << device;
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

}  // namespace
}  // namespace mgdm::nn
