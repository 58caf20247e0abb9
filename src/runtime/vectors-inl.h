// Vectors of floats of the instruction set at hand, compiled once for each.

// Highway's way of including a file several times (hwy/foreach_target.h).
#if defined(MGDM_RUNTIME_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MGDM_RUNTIME_VECTORS_INL_H_
#undef MGDM_RUNTIME_VECTORS_INL_H_
#else
#define MGDM_RUNTIME_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mgdm::runtime::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<float> kFloats;
using Vector = hn::Vec<decltype(kFloats)>;
constexpr std::size_t kLanes = hn::MaxLanes(kFloats);

}  // namespace
}  // namespace mgdm::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
