// Attention of one head in double, with its gradients, and for each number how far the bf16 kernels
// may be from it. For tests.
//
// A rounding to bf16 errs by at most kBf16 = 2^-8 of the number, sums in float by kFloat of the sum
// of sizes, which is generous. To first order, and with products of errors covered by kSlack:
//   normalised rows   are rounded: each number errs by kBf16 of itself
//   a score           errs by the sum of its products' errors; a weight, relative to itself, by its
//                     score's error and the mean error of the row's scores (the softmax's sum)
//   dropout(weights)  are rounded before they meet v or do, and so is dS before q or k
//   delta             is made of the rounded out
//   out and gradients are rounded once; dq once more for every further part of the keys
#pragma once

#include <functional>
#include <vector>

namespace mgdm::ops::cuda {

struct AttentionHead {
  int length, size;  // N, D
  bool causal, norm;
  double scale, eps;
  std::vector<double> q, k, v, dout;  // (N, D)
  std::function<double(int, int)>
      dropout;  // of a query and a key: what the weight is multiplied by
};

struct Bounded {
  std::vector<double> value, error;
};

struct AttentionReference {
  Bounded out, lse, dq, dk, dv;
};

AttentionReference attention_reference(const AttentionHead& head);

}  // namespace mgdm::ops::cuda
