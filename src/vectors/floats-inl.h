// Vectors of floats, compiled once per instruction set.

// Highway includes this file once per instruction set (hwy/foreach_target.h).
#if defined(MGDM_VECTORS_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MGDM_VECTORS_FLOATS_INL_H_
#undef MGDM_VECTORS_FLOATS_INL_H_
#else
#define MGDM_VECTORS_FLOATS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<float> kFloats;
using Vector = hn::Vec<decltype(kFloats)>;
constexpr std::size_t kLanes = hn::MaxLanes(kFloats);

// The first `count` numbers as a vector, zeros behind them; nothing else is read.
HWY_INLINE Vector load_part(const float* from, std::size_t count) {
  HWY_ALIGN float part[kLanes] = {};
  for (std::size_t i = 0; i < kLanes && i < count; ++i) part[i] = from[i];
  return hn::Load(kFloats, part);
}

HWY_INLINE void store_part(Vector x, std::size_t count, float* to) {
  HWY_ALIGN float part[kLanes];
  hn::Store(x, kFloats, part);
  for (std::size_t i = 0; i < kLanes && i < count; ++i) to[i] = part[i];
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
