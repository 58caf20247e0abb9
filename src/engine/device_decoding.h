// Decoding by diffusion on a GPU: what decode() of diffusion.h gives, but nobody can watch. A pass
// is the network and one kernel (ops/decoding_pass.h), recorded as a CUDA graph and replayed; the
// host only queues passes, and looks now and then whether some rows are finished.
#pragma once

#include <functional>
#include <list>

#include "compat/graph.h"
#include "engine/batch.h"
#include "engine/network.h"
#include "ops/decoding_pass.h"
#include "spec/decoding_settings.h"

namespace mgdm::engine {

class DeviceDecoding {
 public:
  // `make` gives the network for some settings; with `recorded` its work must be of a kind that a
  // CUDA graph can hold.
  using MakePredictor = std::function<Predictor(const spec::DecodingSettings&)>;
  explicit DeviceDecoding(MakePredictor make, bool recorded = true);

  // Whether there is a kernel for this batch.
  static bool takes(const Batch& batch, const spec::DecodingSettings& settings,
                    std::int64_t vocabulary);

  Result decode(const Batch& batch, const spec::DecodingSettings& settings);

 private:
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
  std::list<Passes> recent_;  // the last used first: each holds memory for a pass
};

}  // namespace mgdm::engine
