// Decoding by diffusion on a GPU: what decode() of diffusion.h gives, but nobody can watch. A small
// batch is answered by one kernel (ops/answer.h), where the network can be described to it. Else a
// pass is the network and one kernel (ops/decoding_pass.h), recorded as a CUDA graph and replayed;
// the host only queues passes, and looks now and then whether some rows are finished.
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "compat/graph.h"
#include "engine/batch.h"
#include "engine/network.h"
#include "ops/answer.h"
#include "ops/decoding_pass.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

// The settings as the kernels take them ...
ops::DecodingRule rule_of(const spec::DecodingSettings& settings);

// ... and how many of L positions topk and margin mask after each pass: (T, N + 1) int32.
at::Tensor masked_counts(const spec::DecodingSettings& settings, std::int64_t length);

// Some things that were used lately, the last used first; of more than kMost the oldest is
// forgotten.
template <class T, std::size_t kMost>
class Recent {
 public:
  // The one that is(it); where there is none, one made of the arguments.
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

// A network for some of the hidden states only: what is not decoded need not go through its last
// layer.
struct FewStates {
  bool shift = false;  // as nn::Prediction has it
  std::function<Predictor(const spec::DecodingSettings&, const at::Tensor& wanted)> make{};
};

class DeviceDecoding {
 public:
  // `make` gives the network for some settings; with `recorded` its work must be of a kind that a
  // CUDA graph can hold. `describe` gives it as tensors, where it is a network of that form and may
  // be computed in bf16.
  using MakePredictor = std::function<Predictor(const spec::DecodingSettings&)>;
  using Describe = std::function<std::optional<ops::Transformer>(const spec::DecodingSettings&)>;
  explicit DeviceDecoding(MakePredictor make, bool recorded = true, Describe describe = {},
                          FewStates few = {});

  // Whether there is a kernel for this batch.
  static bool takes(const Batch& batch, const spec::DecodingSettings& settings,
                    std::int64_t vocabulary);

  // What one kernel answered is on the CPU, anything else on the batch's device.
  Result decode(const Batch& batch, const spec::DecodingSettings& settings);

 private:
  // What answers to puzzles of one length with one kind of settings have in common.
  struct Common {
    Common(const spec::DecodingSettings& some, std::int64_t length, c10::Device device);

    bool is_for(const spec::DecodingSettings& some, std::int64_t length) const;

    spec::DecodingSettings settings;
    ops::DecodingRule rule;
    at::Tensor counts;  // (T, N + 1), on the device
  };
  // By one kernel, where there is one for the batch.
  std::optional<Result> answer(const Batch& batch, const spec::DecodingSettings& settings);

  // The passes over batches of one size with one kind of settings, in tensors that stay.
  struct Passes {
    Passes(const DeviceDecoding& of, const spec::DecodingSettings& some, at::IntArrayRef sizes,
           std::int64_t states, c10::Device device);
    void take(const ops::DecodingRows& some, std::int64_t attempt);  // at most rows; no others
    void run();

    Common common;
    bool shift;
    at::Tensor wanted, places;  // (W) int64, (B, N) int32: some states; undefined: all
    Predictor predict;
    ops::DecodingTry now;
    ops::DecodingRows rows;
    compat::StepGraph graph;
  };
  // For so many of the states; 0: all.
  Passes& passes(const spec::DecodingSettings& settings, std::int64_t rows, std::int64_t length,
                 std::int64_t states, c10::Device device);
  // How many states a batch of so many rows shall have room for, if these are to be decoded.
  std::int64_t states_for(const ops::DecodingRows& some, std::int64_t rows) const;

  MakePredictor make_;
  bool recorded_;
  Describe describe_;
  FewStates few_;
  Recent<Common, 64> answers_;
  Recent<ops::Answers, 16> answer_memory_;
  ops::FirstQkv first_qkv_;
  // Each holds memory for a pass. Where rows finish early, a batch of 1024 goes on in batches of
  // half the size, down to one row, the large ones with rooms for more or fewer states; these are
  // all needed again for the next batch.
  Recent<Passes, 24> passes_;
};

}  // namespace mgdm::engine
