// What ops/cuda/answer.h does, by clusters of 16 blocks: for a batch so small that a cluster can
// take every 16 positions.
//
// A cluster has 16 positions of a row, and goes through the network with them. Each of its blocks
// makes a sixteenth of every product's columns, and writes them into the shared memory of all 16:
// only keys and values, once in a layer, and logits, once in a pass, cross device memory and wait
// for all clusters; those of a single row come as words that carry the number of their layer or
// pass, without a barrier. Weights
// come through a ring of parts in shared memory, each 1/16 of a matrix (C, C), which copies fill
// ahead of time. What is chosen every block works out for itself, so it knows what stands at every
// position of its row: queries, keys and values of the first layer are looked up by that, where
// there is a table (ops/first_qkv.h), and in that layer nobody waits for other clusters.
#pragma once

#include "ops/cuda/answer.h"

namespace mgdm::ops::cuda {

// Whether there is a kernel for it on the current device.
bool cluster_answer_takes(const AnswerShape& shape);
std::size_t cluster_answer_workspace(const AnswerShape& shape);
cudaError_t launch_cluster_answer(const Answer& answer, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
