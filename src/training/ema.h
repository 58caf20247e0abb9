// The exponential moving average of a model's parameters, which is often better than the last
// parameters.
//
//   Ema ema(model->parameters().all(), 0.999);
//   ... after each step: ema.update();
//   {
//     const Ema::InUse average(ema);   // the model computes with the averages
//     evaluate(*model);
//   }                                  // and with its own parameters again
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "nn/parameters.h"

namespace mgdm::training {

class Ema {
 public:
  // Starts at the current parameters, on their device.
  Ema(const std::vector<nn::Parameter>& parameters, double decay);

  // average += (1 - decay) (parameter - average).
  void update();

  // Exchanges the numbers of parameters and averages. The tensors stay in place, so a captured CUDA
  // graph stays valid.
  void swap();

  // Restarts at the current parameters.
  void restart();

  // The averages, in the order of the parameters.
  const std::vector<at::Tensor>& averages() const { return averages_; }

  // The model computes with the averages while this lives.
  class InUse {
   public:
    explicit InUse(Ema& ema) : ema_(ema) { ema_.swap(); }
    ~InUse() { ema_.swap(); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    Ema& ema_;
  };

 private:
  std::vector<nn::Parameter> parameters_;  // sharing the model's tensors
  std::vector<at::Tensor> averages_;
  double decay_;
};

}  // namespace mgdm::training
