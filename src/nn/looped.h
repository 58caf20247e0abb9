// A transformer whose few blocks are applied several times (loops). Each loop adds the input again
// and gives a prediction. The network is deep in computation and small in parameters.
//
//   e = tokens + positions (+ frozen or not);  x = e
//   for r = 1..R:  if r > 1: x += e;  x = blocks(x);  logits_r = head(norm(x))
//
// With `loop_norm` the second and later loops start from x = norm(x) + e instead. Every loop then
// gets a stream of the same size, and a network trained with R loops can run more of them.
//
// Blocks: RMS norms without weights before attention and MLP; queries and keys normalised per head,
// attention scale 0.25; MLP 4x with relu squared; no biases, no dropout. Output projections and the
// head start at zero, so that the first loss is that of a uniform guess.
#pragma once

#include "nn/model.h"
#include "nn/residual.h"

namespace mgdm::nn {

class Looped : public Model {
 public:
  Looped(const ModelSettings& settings, std::optional<std::uint64_t> seed);

  Output forward(const Input& input) override;
  at::Tensor next_logits(const at::Tensor& tokens, Cache& cache) override;
  std::optional<ops::Transformer> transformer(std::int64_t loops) const override;

 private:
  struct Block {
    at::Tensor qkv, projection, up, down;  // (3C, C), (C, C), (4C, C), (C, 4C)
  };

  ops::AttentionForm attention_form() const;
  // The branch of x, the norm of the stream. Its last matmul adds it to the stream if possible.
  Branch attend(const Block& block, const at::Tensor& x, const at::Tensor& stream,
                ops::KeysAndValues* seen) const;
  Branch mlp(const Block& block, const at::Tensor& x, const at::Tensor& stream) const;
  // The blocks for several loops of one pass (ops/shared_weight.h).
  std::vector<Block> shared_blocks() const;
  // One loop, on a stream to which the input has been added. A cache has room for every loop.
  void run_loop(const std::vector<Block>& blocks, std::int64_t loop, Residual& stream,
                Cache* cache) const;
  // Training's loops from the input e (B, N, C), each computed again in the backward pass.
  Output forward_again(const at::Tensor& e, const at::Tensor& earlier, std::int64_t loops) const;
  // All loops from the input e (B, N, C). Calls after_loop(norm of the stream) where it is wanted:
  // after every loop, or after the last one.
  enum class Wanted { kEvery, kLast };
  template <class AfterLoop>
  void run(const at::Tensor& e, const at::Tensor& earlier, std::int64_t loops, Cache* cache,
           Wanted wanted, AfterLoop&& after_loop) const;

  at::Tensor tokens_, positions_, frozen_, head_;  // (V, C), (P, C), (2, C) or undefined, (V, C)
  std::vector<Block> blocks_;
};

}  // namespace mgdm::nn
