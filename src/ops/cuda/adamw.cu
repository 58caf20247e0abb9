// Kernel 1, one thread, makes what is the same for all numbers of a step; kernel 2 does the step.
#include "ops/cuda/chunks.cuh"
#include "ops/cuda/updates.h"

namespace mgdm::ops::cuda {
namespace {

// What a step's numbers have in common.
struct Common {
  float keep;       // 1 - lr * decay
  float rate;       // lr / (1 - beta1^n)
  float over_root;  // 1 / sqrt(1 - beta2^n)
};
static_assert(sizeof(Common) == kAdamwWorkspace * sizeof(float));

__global__ void begin_kernel(AdamwSettings settings, const float* factor, float* steps,
                             Common* common) {
  const float n = *steps + 1;
  *steps = n;
  const float lr = *factor * static_cast<float>(settings.lr);
  common->keep = 1 - lr * static_cast<float>(settings.weight_decay);
  // In double: 1 - 0.999 in float has an error of 5e-5.
  common->rate = static_cast<float>(lr / (1 - pow(settings.beta1, static_cast<double>(n))));
  common->over_root = static_cast<float>(1 / sqrt(1 - pow(settings.beta2, static_cast<double>(n))));
}

__global__ void __launch_bounds__(kChunkThreads)
    step_kernel(const __grid_constant__ Table<AdamwTensor> table, AdamwSettings settings,
                const Common* common) {
  const Chunk chunk = my_chunk(table);
  const AdamwTensor t = table.tensor[chunk.tensor];
  const Common c = *common;
  const float keep = t.decays ? c.keep : 1.0f;
  const auto move_mean = static_cast<float>(1 - settings.beta1);
  const auto move_square = static_cast<float>(1 - settings.beta2);
  const auto beta2 = static_cast<float>(settings.beta2), eps = static_cast<float>(settings.eps);
  const bool four = aligned(t.value) && aligned(t.gradient) && aligned(t.mean) && aligned(t.square);
  for_each_number(chunk, four, [&]<int kWidth>(std::int64_t at) {
    Numbers<kWidth> p = read<kWidth>(t.value + at), m = read<kWidth>(t.mean + at),
                    v = read<kWidth>(t.square + at);
    const Numbers<kWidth> gradient = read<kWidth>(t.gradient + at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      const float g = gradient.value[i];
      float &pi = p.value[i], &mi = m.value[i], &vi = v.value[i];
      mi += move_mean * (g - mi);
      vi = beta2 * vi + move_square * g * g;
      pi = pi * keep - c.rate * (mi / (sqrtf(vi) * c.over_root + eps));
    }
    write(t.value + at, p);
    write(t.mean + at, m);
    write(t.square + at, v);
  });
}

}  // namespace

cudaError_t launch_adamw(const AdamwTensor* tensors, int n, const AdamwSettings& settings,
                         const float* factor, float* steps, float* workspace, cudaStream_t stream) {
  auto* common = reinterpret_cast<Common*>(workspace);
  begin_kernel<<<1, 1, 0, stream>>>(settings, factor, steps, common);
  for_each_table(tensors, n, [&](const Table<AdamwTensor>& table, int chunks) {
    step_kernel<<<chunks, kChunkThreads, 0, stream>>>(table, settings, common);
  });
  return cudaGetLastError();
}

}  // namespace mgdm::ops::cuda
