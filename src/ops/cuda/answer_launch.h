// Helpers that the launches of both whole-answer kernels share.
#pragma once

#include <cuda_runtime_api.h>

#include "ops/cuda/answer.h"
#include "ops/cuda/attention.h"

namespace mgdm::ops::cuda {

// Of the device that is current; 0 where nobody knows.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess)
    return 0;
  return value;
}

inline AttentionSettings attention_of(const Answer& answer) {
  AttentionSettings attention{};
  attention.length = answer.shape.length;
  attention.heads = answer.shape.heads;
  attention.causal = answer.causal;
  attention.scale = answer.scale;
  attention.norm = answer.head_norm_eps > 0;
  attention.eps = answer.head_norm_eps;
  return attention;
}

// Its pass with the sizes of its shape.
inline Answer with_sizes(Answer answer) {
  answer.pass.rows = answer.shape.rows;
  answer.pass.length = answer.shape.length;
  answer.pass.vocabulary = answer.shape.vocabulary;
  return answer;
}

}  // namespace mgdm::ops::cuda
