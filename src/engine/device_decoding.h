// Decoding by diffusion on a GPU: what decode() of diffusion.h gives, but nobody can watch. A small
// batch is answered by one kernel (ops/answer.h), where the network can be described to it. Else a
// pass is the network and one kernel (ops/decoding_pass.h), recorded as a CUDA graph and replayed;
// the host only queues passes, and looks now and then whether some rows are finished.
#pragma once

#include <functional>
#include <list>
#include <optional>

#include "compat/graph.h"
#include "engine/batch.h"
#include "engine/network.h"
#include "ops/answer.h"
#include "ops/decoding_pass.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

class DeviceDecoding {
 public:
  // `make` gives the network for some settings; with `recorded` its work must be of a kind that a
  // CUDA graph can hold. `describe` gives it as tensors, where it is a network of that form and may
  // be computed in bf16.
  using MakePredictor = std::function<Predictor(const spec::DecodingSettings&)>;
  using Describe = std::function<std::optional<ops::Transformer>(const spec::DecodingSettings&)>;
  explicit DeviceDecoding(MakePredictor make, bool recorded = true, Describe describe = {});

  // Whether there is a kernel for this batch.
  static bool takes(const Batch& batch, const spec::DecodingSettings& settings,
                    std::int64_t vocabulary);

  Result decode(const Batch& batch, const spec::DecodingSettings& settings);

 private:
  // What answers to puzzles of one length with one kind of settings have in common.
  struct Common {
    Common(const spec::DecodingSettings& some, std::int64_t length, c10::Device device);

    spec::DecodingSettings settings;
    ops::DecodingRule rule;
    at::Tensor counts;  // (T, N + 1)
  };
  const Common& common(const spec::DecodingSettings& settings, std::int64_t length,
                       c10::Device device);
  // By one kernel, where there is one for the batch.
  std::optional<Result> answer(const Batch& batch, const spec::DecodingSettings& settings);

  // The passes over batches of one size with one kind of settings, in tensors that stay.
  struct Passes {
    Passes(const DeviceDecoding& of, const spec::DecodingSettings& some, at::IntArrayRef sizes,
           c10::Device device);
    void take(const ops::DecodingRows& some, std::int64_t attempt);  // at most rows; no others
    void run();

    spec::DecodingSettings settings;
    Predictor predict;
    ops::DecodingRule rule;
    ops::DecodingTry now;
    ops::DecodingRows rows;
    compat::StepGraph graph;
  };
  Passes& passes(const spec::DecodingSettings& settings, std::int64_t rows, std::int64_t length,
                 c10::Device device);

  MakePredictor make_;
  bool recorded_;
  Describe describe_;
  std::list<Common> common_;  // the last used first
  std::list<Passes> recent_;  // the last used first: each holds memory for a pass
};

}  // namespace mgdm::engine
