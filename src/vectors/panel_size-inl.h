// The number of columns of a panel (product.h) for an instruction set.

// Highway includes this file once per instruction set (hwy/foreach_target.h).
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

// Whether the target is NEON with 32 registers, under any name that versions of Highway give it.
#undef MGDM_NEON
#if HWY_ARCH_ARM_A64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define MGDM_NEON 1
constexpr std::size_t kPanelVectors = 4;  // see product.cc
#else
#define MGDM_NEON 0
constexpr std::size_t kPanelVectors = 2;
#endif
constexpr std::size_t kPanelColumns = kPanelVectors * kLanes;

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
