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

// Of one row. Whole vectors are read and written: rows have room for them.
HWY_INLINE void softmax_row(float* s, std::size_t seen, std::size_t columns, float scale) {
  const Vector lowest = hn::Set(kFloats, -std::numeric_limits<float>::infinity());
  const std::size_t whole = seen / kLanes * kLanes;
  if (whole < seen) {  // from here on the numbers that do not count are the lowest of all
    const auto counts = hn::FirstN(kFloats, seen - whole);
    hn::StoreU(hn::IfThenElse(counts, hn::LoadU(kFloats, s + whole), lowest), kFloats, s + whole);
  }
  Vector top = lowest;
  for (std::size_t j = 0; j < seen; j += kLanes) top = hn::Max(top, hn::LoadU(kFloats, s + j));
  top = hn::MaxOfLanes(kFloats, top);

  const Vector factor = hn::Set(kFloats, scale);
  Vector sum = hn::Zero(kFloats);
  for (std::size_t j = 0; j < seen; j += kLanes) {
    Vector e = exp(kFloats, hn::Mul(factor, hn::Sub(hn::LoadU(kFloats, s + j), top)));
    if (j == whole) e = hn::IfThenElseZero(hn::FirstN(kFloats, seen - whole), e);
    hn::StoreU(e, kFloats, s + j);
    sum = hn::Add(sum, e);
  }
  const Vector share = hn::Div(hn::Set(kFloats, 1.0f), hn::SumOfLanes(kFloats, sum));
  std::size_t j = 0;
  for (; j < seen; j += kLanes)
    hn::StoreU(hn::Mul(share, hn::LoadU(kFloats, s + j)), kFloats, s + j);
  for (; j < columns; j += kLanes) hn::StoreU(hn::Zero(kFloats), kFloats, s + j);
}

void softmax_here(MutableRows scores, std::size_t rows, std::size_t columns, float scale,
                  std::size_t first_sees, bool causal) {
  for (std::size_t i = 0; i < rows; ++i)
    softmax_row(scores.data + i * scores.stride, first_sees + (causal ? i : 0), columns, scale);
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
