// How many columns a panel of product.h has, for the instruction set at hand.

// Highway's way of including a file several times (hwy/foreach_target.h).
#if defined(MGDM_VECTORS_PANEL_SIZE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MGDM_VECTORS_PANEL_SIZE_INL_H_
#undef MGDM_VECTORS_PANEL_SIZE_INL_H_
#else
#define MGDM_VECTORS_PANEL_SIZE_INL_H_
#endif

#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_NEON
constexpr std::size_t kPanelVectors = 4;  // see product.cc
#else
constexpr std::size_t kPanelVectors = 2;
#endif
constexpr std::size_t kPanelColumns = kPanelVectors * kLanes;

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
