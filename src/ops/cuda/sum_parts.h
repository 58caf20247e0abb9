// The second half of every sum over rows: blocks write partial sums, this adds them up.
//
// Always in the same order, so that a run gives the same bits every time; atomic additions would
// not.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace mgdm::ops::cuda {

// out[c] = sum over p of parts[p, c], for parts (count, columns).
void launch_sum_parts(const float* parts, std::int64_t count, std::int64_t columns, float* out,
                      cudaStream_t stream);

}  // namespace mgdm::ops::cuda
