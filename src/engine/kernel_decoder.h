// Decoding by diffusion on a GPU without an observer, for the orders that have a kernel. The
// answers equal those of decoding/diffusion.h up to the rounding of its kernels.
//
// A few puzzles are answered by one kernel (ops/decoding_pass.h) if it supports the network.
// Otherwise a pass is the network and one kernel (ops/decoding_pass.h), recorded as a CUDA graph
// and replayed. A call of pass() runs a few passes without waiting for the device; then finished
// rows leave and new ones join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "compat/graph.h"
#include "decoding/slots.h"
#include "engine/decoding_kernels.h"
#include "ops/decoding_pass.h"

namespace mgdm::engine {

// A small cache of the last kMost items used, most recent first.
template <class T, std::size_t kMost>
class Recent {
 public:
  // The item for which is() holds, or else a new one from the arguments.
  template <class Is, class... Arguments>
  T& get(Is&& is, Arguments&&... arguments) {
    const auto known = std::ranges::find_if(list_, is);
    if (known != list_.end()) {
      list_.splice(list_.begin(), list_, known);
    } else {
      if (list_.size() == kMost) list_.pop_back();
      list_.emplace_front(std::forward<Arguments>(arguments)...);
    }
    return list_.front();
  }

 private:
  std::list<T> list_;
};

// A network as the decoder needs it.
struct KernelNetwork {
  c10::Device device;
  std::int64_t vocabulary = 0;
  // The prediction after so many loops, with `wanted` as in nn::Input. Its work must be recordable
  // in a CUDA graph.
  std::function<Predictor(std::int64_t loops, const at::Tensor& wanted)> predictor = {};
  // The network as tensors if it is a Transformer in bf16; empty: no answers in one kernel.
  std::function<std::optional<ops::Transformer>(std::int64_t loops)> transformer = {};
  bool heeds_wanted = false;
  bool shift = false;    // as nn::Prediction has it
  bool recorded = true;  // passes are recorded as CUDA graphs, where the device has them
};

// The network of a model, which must outlive it.
KernelNetwork kernel_network(nn::Model& model, bool bf16);

class KernelDecoder : public decoding::BatchDecoder {
 public:
  explicit KernelDecoder(KernelNetwork network) : network_(std::move(network)) {}

  bool takes(const decoding::Try& one) const override;
  void join(decoding::SlotId slot, decoding::Try one) override;
  bool cancel(decoding::SlotId slot) override;
  std::size_t active() const override;
  std::vector<decoding::TryResult> pass() override;

 protected:
  // The kernels; tests replace them on a CPU.
  virtual bool has_kernel(std::int64_t length) const;
  virtual void decide(const nn::Prediction& prediction, const ops::DecodingRule& rule,
                      const ops::DecodingTry& now, const ops::DecodingRows& rows,
                      const at::Tensor& places) const;

 private:
  struct Waiting {
    decoding::SlotId slot;
    decoding::Try one;
  };

  // The state that tries of one length and the same settings share.
  struct Kind {
    Kind(const decoding::Puzzle& puzzle, c10::Device device);
    bool is_for(const decoding::Puzzle& puzzle) const;

    decoding::DecodingSettings settings;
    std::int64_t length;
    ops::DecodingRule rule;
    at::Tensor counts;  // (T, N + 1), on the device
  };

  // The rows of a batch between two passes.
  struct Rows {
    ops::DecodingRows rows;
    at::Tensor first_draw;  // (B)
  };

  // Passes over batches of one size and kind, in tensors that stay.
  struct Passes {
    Passes(const KernelDecoder& of, const Kind& kind, std::int64_t size, std::int64_t states);
    void take(const Rows& some);  // at most `size` rows; the others are not active
    void run();

    const KernelDecoder& of;
    Kind kind;
    at::Tensor wanted, places;  // (W) int64, (B, N) int32: some states; undefined: all
    Predictor predict;
    ops::DecodingTry now;
    ops::DecodingRows rows;
    compat::StepGraph graph;
  };

  struct Row {
    std::optional<decoding::SlotId> slot;  // none: it has left
    std::int64_t passes = 0;               // so far
  };
  struct Running {
    decoding::Puzzle puzzle;  // one of them, for their kind
    std::vector<Row> rows;    // the first rows of passes->rows
    Passes* passes;
  };

  std::vector<decoding::TryResult> advance();
  std::vector<Waiting> take_waiting();
  std::optional<std::vector<decoding::TryResult>> answer(const std::vector<Waiting>& some);
  void regroup(const std::vector<Waiting>& joining);
  void run_passes();
  std::vector<decoding::TryResult> take_finished();
  Passes& passes_for(const Kind& kind, std::int64_t size, std::int64_t states);
  std::int64_t states_for(const ops::DecodingRows& some, std::int64_t size) const;

  const KernelNetwork network_;
  std::vector<Waiting> waiting_;
  std::optional<Running> running_;
  std::vector<decoding::SlotId> joining_;  // of the call of pass() at hand

  // Graphs and memory of recent sizes and kinds. When rows finish early, a batch of 1024 continues
  // in batches of half the size, down to one row; large ones exist for more and for fewer states.
  Recent<Passes, 24> passes_;
  Recent<Kind, 64> kinds_;
  Recent<ops::Answers, 16> answer_memory_;
};

}  // namespace mgdm::engine
