// Decoding of VDM: from random vectors to an answer in T passes.
//
// Pass k = 0..T-1 shows the network the vectors z_t at t = 1 - k/(T-1) and its guess of the pass
// before. Its logits are a new guess, x_hat, the expected vectors. From it every pass but the
// last goes back to the time s of the next one, by the posterior of the noise q(z_s | z_t, x_hat):
//
//   z_s = alpha_s ((1 - c) z_t / alpha_t + c x_hat) + sigma_s sqrt(c) eps
//   c   = 1 - exp(gamma_s - gamma_t)
//
// The last pass, at t = 0 (with T = 1 at t = 1), takes the most probable tokens. Only the settings
// steps and seed have an effect. Given positions are shown as they are in every pass.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "decoding/slots.h"
#include "engine/decoding_kernels.h"
#include "nn/model.h"

namespace mgdm::engine {

class AncestralDecoder : public decoding::BatchDecoder {
 public:
  // By a model that reads vectors (settings.vectors > 0), in bf16 mixed precision on CUDA if asked.
  // With `one_by_one` it sees one puzzle in a call (torch_network.h).
  explicit AncestralDecoder(std::shared_ptr<nn::Model> model, bool bf16 = false,
                            bool one_by_one = false);

  bool takes(const decoding::Try& one) const override;
  void join(decoding::SlotId slot, decoding::Try one) override;
  bool cancel(decoding::SlotId slot) override;
  std::size_t active() const override;
  std::vector<decoding::TryResult> pass() override;

 private:
  struct Row {
    decoding::SlotId slot;
    decoding::Try one;
    bool gone = false;  // has a result, or was cancelled
  };
  // Tries with the same length, settings and number that joined between the same two passes.
  struct Batch {
    std::vector<Row> rows;
    nn::TensorRows puzzles = {};    // set in the first pass, like what follows
    at::Tensor z = {}, x_hat = {};  // (B, N, D)
    std::int64_t passes = 0;
  };

  void advance(Batch& batch, std::vector<decoding::TryResult>& results) const;
  void tell(Row& row, const Batch& batch, const at::Tensor& tokens, const at::Tensor& confidence,
            std::vector<decoding::TryResult>& results) const;

  const std::shared_ptr<nn::Model> model_;
  const bool bf16_, one_by_one_;
  std::list<Batch> batches_;
};

}  // namespace mgdm::engine
