#include "vectors/softmax.h"

#include <algorithm>
#include <limits>

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/softmax.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/exp-inl.h"
#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

// Computes the softmax of kRows rows of the same number of visible columns, side by side: while one
// row waits for its maximum or its sum, another goes on. Whole vectors are read and written: rows
// have room for them.
template <std::size_t kRows>
HWY_INLINE void softmax_rows(float* s, std::size_t stride, std::size_t seen, std::size_t columns,
                             float scale) {
  const Vector lowest = hn::Set(kFloats, -std::numeric_limits<float>::infinity());
  const std::size_t whole = seen / kLanes * kLanes;
  Vector top[kRows], sum[kRows];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
    if (whole < seen) {  // from here on the numbers that do not count are the lowest of all
      float* const last = s + r * stride + whole;
      const auto counts = hn::FirstN(kFloats, seen - whole);
      hn::StoreU(hn::IfThenElse(counts, hn::LoadU(kFloats, last), lowest), kFloats, last);
    }
    top[r] = lowest;
    sum[r] = hn::Zero(kFloats);
  }
  for (std::size_t j = 0; j < seen; j += kLanes)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r)
      top[r] = hn::Max(top[r], hn::LoadU(kFloats, s + r * stride + j));
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) top[r] = hn::MaxOfLanes(kFloats, top[r]);

  const Vector factor = hn::Set(kFloats, scale);
  for (std::size_t j = 0; j < seen; j += kLanes)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      float* const at = s + r * stride + j;
      Vector e = exp(kFloats, hn::Mul(factor, hn::Sub(hn::LoadU(kFloats, at), top[r])));
      if (j == whole) e = hn::IfThenElseZero(hn::FirstN(kFloats, seen - whole), e);
      hn::StoreU(e, kFloats, at);
      sum[r] = hn::Add(sum[r], e);
    }
  Vector share[kRows];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r)
    share[r] = hn::Div(hn::Set(kFloats, 1.0f), hn::SumOfLanes(kFloats, sum[r]));
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const row = s + r * stride;
    std::size_t j = 0;
    for (; j < seen; j += kLanes)
      hn::StoreU(hn::Mul(share[r], hn::LoadU(kFloats, row + j)), kFloats, row + j);
    for (; j < columns; j += kLanes) hn::StoreU(hn::Zero(kFloats), kFloats, row + j);
  }
}

void softmax_here(MutableRows scores, std::size_t rows, std::size_t columns, float scale,
                  std::size_t first_sees, bool causal) {
  constexpr std::size_t kTogether = 4;
  std::size_t i = 0;
  if (!causal)
    for (; i + kTogether <= rows; i += kTogether)
      softmax_rows<kTogether>(scores.data + i * scores.stride, scores.stride, first_sees, columns,
                              scale);
  for (; i < rows; ++i)
    softmax_rows<1>(scores.data + i * scores.stride, scores.stride, first_sees + (causal ? i : 0),
                    columns, scale);
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::vectors {

HWY_EXPORT(softmax_here);

void softmax(MutableRows scores, std::size_t rows, std::size_t columns, float scale,
             std::size_t first_sees, bool causal) {
  HWY_DYNAMIC_DISPATCH(softmax_here)(scores, rows, columns, scale, first_sees, causal);
}

}  // namespace mgdm::vectors
#endif
