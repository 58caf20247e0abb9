#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "ops/cuda/answer.h"
#include "ops/cuda/attention.h"
#include "ops/cuda/hopper/cluster_block.cuh"

namespace mgdm::ops::cuda {
namespace clusters {
namespace {

// Allocates pieces one after another, aligned for any type; with null it only counts their bytes.
class Pieces {
 public:
  explicit Pieces(void* memory) : begin_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(std::size_t count) {
    char* const piece = begin_ + bytes_;
    bytes_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* begin_;
  std::size_t bytes_ = 0;
};

// 0 where the device does not say.
int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess)
    return 0;
  return value;
}

AttentionSettings attention_of(const Answer& answer) {
  AttentionSettings attention{};
  attention.length = answer.shape.length;
  attention.heads = answer.shape.heads;
  attention.causal = answer.causal;
  attention.scale = answer.scale;
  attention.norm = answer.head_norm_eps > 0;
  attention.eps = answer.head_norm_eps;
  return attention;
}

// Fills the pass's sizes from the answer's shape.
Answer with_sizes(Answer answer) {
  answer.pass.rows = answer.shape.rows;
  answer.pass.length = answer.shape.length;
  answer.pass.vocabulary = answer.shape.vocabulary;
  return answer;
}

template <int kUnits, int kSize>
__global__ void __launch_bounds__(kThreads, 1)
    cluster_answer_kernel(const __grid_constant__ Arguments arguments) {
  extern __shared__ __align__(128) char shared[];
  Block<kUnits, kSize> block(arguments, shared);
  block.begin();
  for (int pass = 0; pass < arguments.answer.most_passes; ++pass)
    if (!block.pass()) break;
  block.end();
}

using Kernel = void (*)(Arguments);

template <int kUnits>
Kernel kernel_of_width(int head_size) {
  switch (head_size) {
    case 16:
      return cluster_answer_kernel<kUnits, 16>;
    case 32:
      return cluster_answer_kernel<kUnits, 32>;
    case 64:
      return cluster_answer_kernel<kUnits, 64>;
  }
  return nullptr;
}

// What depends on the width.
struct Sizes {
  Kernel kernel = nullptr;
  int fixed = 0, slot = 0;  // bytes
};

template <int kUnits>
Sizes sizes_of_width(const AnswerShape& s) {
  using Layout = clusters::Layout<kUnits>;
  const int expansion = s.hidden / s.width, size = s.width / s.heads;
  const int head = (kRows + 2 * round_up(s.length, 16)) * 2 * size;
  const int choice =
      static_cast<int>(sizeof(Position) + sizeof(float) * (1 + s.vocabulary)) * s.length;
  const bool fits =
      head <= Layout::kSumsBytes + Layout::kRowsBytes && choice <= Layout::scratch_bytes(expansion);
  if (!fits) return {};
  return {kernel_of_width<kUnits>(size), Layout::fixed_bytes(s.length, expansion),
          Layout::kSlotBytes};
}

Sizes sizes_of(const AnswerShape& s) {
  switch (s.width) {
    case 128:
      return sizes_of_width<1>(s);
    case 256:
      return sizes_of_width<2>(s);
    case 384:
      return sizes_of_width<3>(s);
  }
  return {};
}

struct Plan {
  Kernel kernel = nullptr;  // null where it cannot be done
  int tiles = 0, clusters = 0, slots = 0, shared = 0;
};

struct Launch {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[2];

  Launch(const Plan& plan, cudaStream_t stream) {
    config.gridDim = {static_cast<unsigned>(plan.clusters * kRanks), 1, 1};
    config.blockDim = {kThreads, 1, 1};
    config.dynamicSmemBytes = static_cast<std::size_t>(plan.shared);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {kRanks, 1, 1};
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
};

// Functions of decoding_choice.cuh have some of their own.
int most_shared() { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024; }

// How many clusters run at once; asked once for each kernel, device and size. The kernel is allowed
// all memory that there is, whichever size comes next.
int most_clusters(const Plan& plan) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  static std::mutex mutex;
  static std::map<std::pair<Kernel, std::pair<int, int>>, int> known;
  const std::scoped_lock lock(mutex);
  const auto [at, is_new] = known.try_emplace({plan.kernel, {device, plan.shared}}, 0);
  if (!is_new) return at->second;
  const Launch launch(plan, nullptr);
  int clusters = 0;
  const bool fine =
      cudaFuncSetAttribute(plan.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           most_shared()) == cudaSuccess &&
      cudaFuncSetAttribute(plan.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveClusters(&clusters, plan.kernel, &launch.config) == cudaSuccess;
  if (!fine) cudaGetLastError();  // no error of later calls
  return at->second = fine ? clusters : 0;
}

Plan plan_for(const AnswerShape& s) {
  const bool possible =
      s.rows > 0 && s.length > 0 && s.layers > 0 && s.layers <= kMostAnswerLayers && s.heads > 0 &&
      s.width % s.heads == 0 && s.hidden > 0 && s.hidden % s.width == 0 &&
      s.hidden / s.width <= kMostExpansion && s.vocabulary <= kRanks * kHeadTokens &&
      device_attribute(cudaDevAttrComputeCapabilityMajor) == 9;
  if (!possible) return {};
  const Sizes sizes = sizes_of(s);
  if (sizes.kernel == nullptr) return {};
  const int shared = most_shared();
  Plan plan;
  plan.kernel = sizes.kernel;
  plan.tiles = round_up(s.length, kRows) / kRows;
  plan.clusters = s.rows * plan.tiles;
  // The head, which follows the layers' parts, may be copied only when all blocks have met: after
  // three parts of the first layer.
  const int parts = s.layers * (4 + 2 * (s.hidden / s.width));
  plan.slots = std::min({kMostSlots, parts - 3, (shared - sizes.fixed) / sizes.slot});
  plan.shared = sizes.fixed + plan.slots * sizes.slot;
  // A phase's parts are there together.
  const bool fits = plan.slots >= std::max(3, s.hidden / s.width);
  return fits && plan.clusters <= most_clusters(plan) ? plan : Plan{};
}

Buffers buffers_in(Pieces& pieces, const AnswerShape& s) {
  const auto positions = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.length);
  const auto width = static_cast<std::size_t>(s.width);
  const auto tokens = static_cast<std::size_t>(round_up(s.vocabulary, kHeadTokens));
  Buffers b{};
  b.counter = pieces.take<unsigned>(1);
  b.qkv = pieces.take<__nv_bfloat16>(2 * positions * 3 * width);  // of two layers
  b.head = pieces.take<__nv_bfloat16>(tokens * kHeadParts * width);
  b.active = pieces.take<bool>(static_cast<std::size_t>(s.rows));
  if (s.rows == 1) {
    b.told = pieces.take<WordOfTurn>(2 * positions * 3 * width / 2);
    b.said = pieces.take<WordOfTurn>(positions * static_cast<std::size_t>(s.vocabulary));
  }
  return b;
}

}  // namespace
}  // namespace clusters

bool answer_takes(const AnswerShape& shape) { return clusters::plan_for(shape).kernel != nullptr; }

std::size_t answer_workspace(const AnswerShape& shape) {
  clusters::Pieces pieces(nullptr);
  clusters::buffers_in(pieces, shape);
  return pieces.bytes();
}

cudaError_t launch_answer(const Answer& answer, cudaStream_t stream) {
  using namespace clusters;
  const AnswerShape& s = answer.shape;
  const Plan plan = plan_for(s);
  if (plan.kernel == nullptr) return cudaErrorNotSupported;
  Pieces pieces(answer.workspace);
  const Arguments arguments{with_sizes(answer),
                            buffers_in(pieces, s),
                            HeadSettings(attention_of(answer)),
                            s.hidden / s.width,
                            plan.tiles,
                            plan.slots};
  const Launch launch(plan, stream);
  return cudaLaunchKernelEx(&launch.config, plan.kernel, arguments);
}

}  // namespace mgdm::ops::cuda
