// What the kernel of cluster_answer.cu knows, and where it lies in shared memory.
#pragma once

#include "ops/cuda/answer.h"
#include "ops/cuda/attention_rows.cuh"
#include "ops/cuda/decoding_choice.cuh"
#include "ops/cuda/hopper/cluster.cuh"
#include "ops/cuda/hopper/cluster_numbers.cuh"

namespace mgdm::ops::cuda::clusters {

constexpr int kRanks = 16;  // blocks of a cluster
constexpr int kRows = 16;   // positions of a cluster
constexpr int kWarps = 16, kThreads = 32 * kWarps;
constexpr int kMostSlots = 8, kMostExpansion = 4;  // of the MLP
static_assert(kThreads == kChoiceThreads);

// What the blocks of a cluster send each other in a layer.
enum Exchange { kMixed, kProjected, kHidden, kBrought };
constexpr int kExchanges = kBrought + 1;

// The head as three bf16 parts, whose sum is as precise as fp32. A block computes 8 tokens.
constexpr int kHeadTokens = 8, kHeadParts = 3, kHeadRows = kHeadTokens * kHeadParts;

struct Buffers {
  __nv_bfloat16* qkv;   // (2, R, 3C): of two layers
  __nv_bfloat16* head;  // (tokens / 8, 3, 8, C)
  bool* active;         // (B)
  // Only where there is a single row:
  WordOfTurn* told;  // (2, N, 3C / 2): qkv of two layers, by meeting
  WordOfTurn* said;  // (N, V): the logits, by pass
  unsigned* counter;
};

struct Arguments {
  Answer answer;
  Buffers buffers;
  HeadSettings heads;
  int expansion;  // H / C
  int tiles;      // clusters of a row
  int slots;
};
static_assert(sizeof(Arguments) <= 4096, "kernels take no more");

// Sizes in bytes, of a network of width 128 kUnits.
template <int kUnits>
struct Layout {
  static constexpr int kWidth = 128 * kUnits;
  static constexpr int kOwn = kWidth / kRanks;     // a block's columns of a product with C of them
  static constexpr int kPitch = 2 * (kWidth + 8);  // of bf16 rows; eight lie in different banks
  static constexpr int kRowsBytes = kRows * kPitch;
  static constexpr int kStreamBytes = kRows * kWidth * 4;
  static constexpr int kTileBytes = 16 * 8 * 4;
  static constexpr int kMostUnits = kUnits > kHeadParts ? kUnits : kHeadParts;
  static constexpr int kSumsBytes = kWarps * kMostUnits * kTileBytes;
  // What a block sends of a product with C columns: 16 rows of kOwn. Attention's and the MLP's
  // parts are sent from where they stay; what is added to the stream has a place of its own, until
  // all have it.
  static constexpr int kSentPitch = 2 * kOwn, kSentBytes = kRows * kSentPitch;
  static constexpr int kOutBytes = round_up(kSentBytes, 128);
  static constexpr int kSlotBytes = (kOwn > kHeadRows ? kOwn : kHeadRows) * kPitch;

  // The first piece of shared memory: barriers, and what is decided.
  struct Known {
    Barrier full[kMostSlots];
    Barrier there[kExchanges];
    DecodingPass pass;
    HeadSettings heads;
    std::int64_t passes;
    bool active;
  };
  static constexpr int kKnownBytes = (sizeof(Known) + 127) / 128 * 128;
  MGDM_HOST_DEVICE static constexpr int state_bytes(int length) {
    return round_up((2 * 8 + 4 + 1) * length, 128);
  }
  static constexpr int fixed_bytes(int length, int expansion) {
    return kKnownBytes + state_bytes(length) + kOutBytes + kStreamBytes + scratch_bytes(expansion);
  }
  // Sums, normed rows and the MLP's: one after the other. In between, a head's rows are in the
  // first two, and all is what a choice is made with.
  static constexpr int scratch_bytes(int expansion) {
    return kSumsBytes + (1 + expansion) * kRowsBytes;
  }
};

}  // namespace mgdm::ops::cuda::clusters
