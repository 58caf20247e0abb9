// The weights that a block multiplies by, as a ring of parts in shared memory.
#pragma once

#include "ops/cuda/hopper/cluster_memory.cuh"

namespace mgdm::ops::cuda::clusters {

// A part is what a block needs of a matrix (C, C): kOwn rows. Of qkv there are three, of the
// projection one, of the MLP's matrices as many as it is wide; the second one's lie side by side.
template <int kUnits>
class Weights {
  using Layout = clusters::Layout<kUnits>;

 public:
  __device__ Weights(const Arguments& arguments, Barrier* full, std::uint32_t slots, int rank)
      : arguments_(arguments),
        full_(full),
        slots_(slots),
        rank_(rank),
        has_head_(kHeadTokens * rank < arguments.answer.shape.vocabulary) {}

  // Before anything else, by all threads; they meet after it.
  __device__ void begin() {
    if (threadIdx.x == 0) {
      for (int slot = 0; slot < arguments_.slots; ++slot) full_[slot].init(1);
    }
  }

  // Starts copies to all slots that are free, whose parts no warp reads any more. A warp starts one
  // after the other, each of which takes it long: all warps do, with every 16th row.
  __device__ void refill() {
#pragma unroll 1
    for (; ahead_ < arguments_.slots; ++ahead_) copy_next();
  }

  // Waits for the part `part` after the next; where it lies.
  __device__ std::uint32_t wait(int part) const {
    int slot = first_ + part;
    bool turned = false;
    if (slot >= arguments_.slots) {
      slot -= arguments_.slots;
      turned = true;
    }
    wait_for(full_[slot], parity_ ^ static_cast<int>(turned));
    return slots_ + slot * Layout::kSlotBytes;
  }
  __device__ void drop(int parts) {
    ahead_ -= parts;
    first_ += parts;
    if (first_ >= arguments_.slots) {
      first_ -= arguments_.slots;
      parity_ ^= 1;
    }
  }

  __device__ bool has_head() const { return has_head_; }

  // No copy may be under way when the block ends: what was copied and not dropped is awaited.
  __device__ void end() const {
    for (int part = 0; part < arguments_.slots; ++part) wait(part);
  }

 private:
  __device__ void copy_next() {
    const int thread = thread_again(), warp = thread / 32;
    const Answer& a = arguments_.answer;
    const AnswerLayer& layer = a.layer[layer_];
    const int expansion = arguments_.expansion;
    const void* matrix;
    int row = rank_ * Layout::kOwn, column = 0, pitch = Layout::kWidth, rows = Layout::kOwn;
    if (piece_ < 3) {
      matrix = layer.qkv;
      row += piece_ * Layout::kWidth;
    } else if (piece_ == 3) {
      matrix = layer.projection;
    } else if (piece_ < 4 + expansion) {
      matrix = layer.up;
      row += (piece_ - 4) * Layout::kWidth;
    } else if (piece_ < 4 + 2 * expansion) {
      matrix = layer.down;
      column = (piece_ - 4 - expansion) * Layout::kWidth;
      pitch = expansion * Layout::kWidth;
    } else {
      matrix = arguments_.buffers.head;
      row = rank_ * kHeadRows;
      rows = kHeadRows;
      fence_copies();
    }
    if (thread % 32 == 0) {
      Barrier& full = full_[filled_];
      if (warp == 0) full.expect(rows * 2 * Layout::kWidth);
      const auto* from = static_cast<const __nv_bfloat16*>(matrix) +
                         static_cast<std::int64_t>(row + warp) * pitch + column;
      std::uint32_t to = slots_ + filled_ * Layout::kSlotBytes + warp * Layout::kPitch;
#pragma unroll 1
      for (int r = warp; r < rows; r += kWarps) {
        copy_bytes(to, from, 2 * Layout::kWidth, full);
        from += kWarps * pitch;
        to += kWarps * Layout::kPitch;
      }
    }
    __syncwarp();
    if (++filled_ == arguments_.slots) filled_ = 0;
    step();
  }

  // The next piece: of the layer, then of the next one, ..., then the head, then again.
  __device__ void step() {
    const Answer& a = arguments_.answer;
    const int last = 4 + 2 * arguments_.expansion;  // the head
    if (++piece_ < last) return;
    if (piece_ == last) {
      if (layer_ + 1 < a.shape.layers) {
        ++layer_;
        piece_ = 0;
        return;
      }
      layer_ = 0;
      if (loop_ + 1 < a.loops) {
        ++loop_;
        piece_ = 0;
        return;
      }
      if (has_head_) return;
    }
    piece_ = layer_ = loop_ = 0;
  }

  const Arguments& arguments_;
  Barrier* const full_;
  const std::uint32_t slots_;
  const int rank_;
  const bool has_head_;
  // The next weights to multiply by: the slot of their first part, the parity of its barrier, and
  // how many parts have arrived or are on their way.
  int first_ = 0, parity_ = 0, ahead_ = 0;
  // The next piece to copy, and its slot.
  int piece_ = 0, layer_ = 0, loop_ = 0, filled_ = 0;
};

}  // namespace mgdm::ops::cuda::clusters
