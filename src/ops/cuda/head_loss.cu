// The sizes that there are kernels for, and their launch. What a block does: head_loss_worker.cuh.
#include "ops/cuda/device.h"
#include "ops/cuda/head_loss.h"
#include "ops/cuda/head_loss_worker.cuh"
#include "ops/cuda/sum_parts.h"

namespace mgdm::ops::cuda {
namespace {

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    head_loss_kernel(const __grid_constant__ HeadLoss arguments) {
  extern __shared__ __align__(16) unsigned char memory[];
  Worker<Shared>(arguments, *reinterpret_cast<Shared*>(memory)).run();
}

template <class Shared>
cudaError_t launch(const HeadLoss& a, cudaStream_t stream) {
  const cudaError_t error =
      cudaFuncSetAttribute(head_loss_kernel<Shared>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(sizeof(Shared)));
  if (error != cudaSuccess) return error;
  const int blocks = Gpu::current().multiprocessors;  // one on each
  head_loss_kernel<Shared>
      <<<static_cast<unsigned>(blocks), Shared::kThreads, sizeof(Shared), stream>>>(a);
  launch_sum_parts(a.workspace, blocks, 1, a.loss, stream);
  if (a.dhidden[0] != nullptr)
    launch_sum_parts(a.workspace + blocks, blocks * Shared::kTeams, a.vocabulary * a.columns,
                     a.dtable, stream);
  return cudaGetLastError();
}

// The most teams and tiles that fit; f.operator()<Shared>() is not called where none do.
template <int kColumns, int kVocabulary, class Function>
void with_layout(Function&& f) {
  using TwoTeams = Layout<kColumns, kVocabulary, 2, 2>;
  using TwoTiles = Layout<kColumns, kVocabulary, 1, 2>;
  using OneTile = Layout<kColumns, kVocabulary, 1, 1>;
  // A thread of two teams has 128 registers, half of them for dW.
  if constexpr (sizeof(TwoTeams) <= kMostShared && kColumns * kVocabulary <= 64 * 256)
    f.template operator()<TwoTeams>();
  else if constexpr (sizeof(TwoTiles) <= kMostShared)
    f.template operator()<TwoTiles>();
  else if constexpr (sizeof(OneTile) <= kMostShared)
    f.template operator()<OneTile>();
}

template <class Function>
void with_sizes(std::int64_t columns, std::int64_t vocabulary, Function&& f) {
  const auto with_columns = [&]<int kColumns>() {
    if (vocabulary < 1 || vocabulary > 64) return;
    if (vocabulary <= 16) return with_layout<kColumns, 16>(f);
    if (vocabulary <= 32) return with_layout<kColumns, 32>(f);
    if constexpr (kColumns <= 512) with_layout<kColumns, 64>(f);
  };
  switch (columns) {
    case 64:
      return with_columns.template operator()<64>();
    case 128:
      return with_columns.template operator()<128>();
    case 192:
      return with_columns.template operator()<192>();
    case 256:
      return with_columns.template operator()<256>();
    case 384:
      return with_columns.template operator()<384>();
    case 512:
      return with_columns.template operator()<512>();
    case 768:
      return with_columns.template operator()<768>();
    case 1024:
      return with_columns.template operator()<1024>();
  }
}

}  // namespace

bool head_loss_takes(std::int64_t rows, std::int64_t columns, std::int64_t vocabulary, int loops) {
  bool taken = false;
  if (loops >= 1 && loops <= kMostLoops && rows >= 1 && rows < (1 << kRowBits) &&
      rows * loops < (std::int64_t{1} << 31) - 64)
    with_sizes(columns, vocabulary, [&]<class Shared>() { taken = true; });
  return taken;
}

std::size_t head_loss_workspace(std::int64_t columns, std::int64_t vocabulary) {
  const std::int64_t blocks = Gpu::current().multiprocessors;
  return sizeof(float) *
         static_cast<std::size_t>(blocks + blocks * kMostTeams * columns * vocabulary);
}

cudaError_t launch_head_loss(const HeadLoss& arguments, cudaStream_t stream) {
  cudaError_t error = cudaErrorInvalidValue;
  if (head_loss_takes(arguments.rows, arguments.columns, arguments.vocabulary, arguments.loops))
    with_sizes(arguments.columns, arguments.vocabulary,
               [&]<class Shared>() { error = launch<Shared>(arguments, stream); });
  return error;
}

}  // namespace mgdm::ops::cuda
