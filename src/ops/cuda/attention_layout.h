// How the backward kernel cuts up a head, and where it keeps things in shared memory.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "ops/cuda/attention_launch.cuh"

namespace mgdm::ops::cuda {

// The kernel comes in kinds: a warp takes kKeyTiles tiles of 16 keys, and kTiles tiles of 16
// queries when it multiplies dS by the keys. More tiles: fewer reads of shared memory, but more
// registers, so fewer warps.
template <int kSize_, int kKeyTiles_, int kTiles_>
struct Kind {
  static constexpr int kSize = kSize_, kKeyTiles = kKeyTiles_, kTiles = kTiles_;
  static constexpr int kWarpKeys = 16 * kKeyTiles;
  // So that registers suffice: 65536 / 32 / warps for a thread.
  static constexpr int kMaxWarps = kSize * kKeyTiles <= 32 ? 16 : 12;
};

// Where things lie in shared memory, in bytes.
struct BackwardLayout {
  static constexpr int kBarrierBytes = 8;  // what HeadCopies want

  int rows;       // queries, rounded up to 16
  int part;       // keys of a part
  int ds_stride;  // dS of a chunk of queries is stored keys x queries, with 16 bytes of padding
  // With several parts there is no room for out; it is then read from device memory.
  bool out_stays;
  int q, dout, k, v, out, ds, lse, delta, q_factor, k_factor, barrier, bytes;

  BackwardLayout(int length, int part_keys, int chunk, int pitch)
      : rows(round_up(length, 16)), part(part_keys), ds_stride(2 * chunk + 16) {
    const int keys = part < rows ? part : rows;
    q = 0;
    dout = q + rows * pitch;
    k = dout + rows * pitch;
    v = k + keys * pitch;
    out = v + keys * pitch;
    ds = v;  // in the place of v, which warps hold, and of out, which is needed only for delta
    out_stays = rows > part;
    const int out_end = out_stays ? out : out + rows * pitch, ds_end = ds + keys * ds_stride;
    lse = out_end > ds_end ? out_end : ds_end;
    delta = lse + 4 * rows;
    q_factor = delta + 8 * rows;
    k_factor = q_factor + 4 * rows;
    barrier = k_factor + 4 * keys;
    bytes = barrier + kBarrierBytes;
  }
};

// How a head is cut up.
struct BackwardPlan {
  int warps, chunk, bytes;
  double worth = 0;  // an estimate of how many warps of a multiprocessor have something to do

  template <class Kind>
  BackwardLayout layout(Kind, int length) const {
    return {length, Kind::kWarpKeys * warps, chunk, 2 * Kind::kSize};
  }

  // With the keys in so many parts. Not worth anything: it does not fit.
  template <class Kind>
  static BackwardPlan with_parts(Kind kind, int length, int parts) {
    const int count = round_up(length, Kind::kWarpKeys) / Kind::kWarpKeys;
    const int rows = round_up(length, 16), step = 16 * Kind::kTiles;
    BackwardPlan plan;
    plan.warps = (count + parts - 1) / parts;
    if (plan.warps > Kind::kMaxWarps) return plan;
    // The more blocks the better; then the larger the chunks the better, up to what the warps take.
    for (int blocks = Kind::kMaxWarps / plan.warps; blocks > 0; --blocks)
      for (int chunk = std::min(step * plan.warps, rows); chunk > 0;
           chunk = (chunk - 1) / step * step) {
        plan.chunk = chunk;
        plan.bytes = plan.layout(kind, length).bytes;
        if (plan.bytes > shared_memory(blocks)) continue;
        // Multiplying dS by the keys is a fifth of the work, and keeps as many warps busy as a
        // chunk has tiles. A further part costs a little: queries are read again, dq is stored and
        // added.
        const double idle = (rows + chunk - 1) / chunk * step * plan.warps / double(rows);
        plan.worth = blocks * count / double(parts) / (0.8 + 0.2 * idle) / (1 + 0.08 * (parts - 1));
        return plan;
      }
    return plan;
  }

  template <class Kind>
  static BackwardPlan best(Kind kind, int length) {
    BackwardPlan best = with_parts(kind, length, 1);
    for (int parts = 2; parts <= 16; ++parts) {
      const BackwardPlan other = with_parts(kind, length, parts);
      if (other.worth > best.worth) best = other;
    }
    if (best.worth == 0) throw std::runtime_error("attention: too long for the shared memory");
    return best;
  }
};

}  // namespace mgdm::ops::cuda
