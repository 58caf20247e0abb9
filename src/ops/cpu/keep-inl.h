// The draws of keep.h for a vector of numbers, compiled once for every instruction set.

// Highway includes this file once per instruction set (hwy/foreach_target.h).
#if defined(MGDM_OPS_CPU_KEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MGDM_OPS_CPU_KEEP_INL_H_
#undef MGDM_OPS_CPU_KEEP_INL_H_
#else
#define MGDM_OPS_CPU_KEEP_INL_H_
#endif

#include <hwy/highway.h>

#include "ops/cpu/keep.h"
#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::ops::cpu::HWY_NAMESPACE {
namespace {

using namespace vectors::HWY_NAMESPACE;

class Draws {
 public:
  explicit Draws(const Keep& keep)
      : low_(hn::Set(kWords, keep.low)),
        high_(hn::Set(kWords, keep.high)),
        limit_(hn::Set(kWords, keep.limit)),
        scale_(hn::Set(kFloats, keep.scale)),
        places_(hn::Iota(kWords, 0)) {}

  // Which of the numbers from `index` on are kept.
  HWY_INLINE hn::Mask<decltype(kFloats)> kept(std::uint32_t index) const {
    const Words mix1 = hn::Set(kWords, 0x85EBCA6Bu), mix2 = hn::Set(kWords, 0xC2B2AE35u);
    Words h = hn::Add(places_, hn::Set(kWords, index));
    h = hn::Xor(hn::Mul(h, hn::Set(kWords, 0x9E3779B1u)), low_);
    // Twice the mixing of MurmurHash3.
    h = hn::Add(hn::Mul(hn::Xor(h, hn::ShiftRight<16>(h)), mix1), high_);
    h = hn::Mul(hn::Xor(h, hn::ShiftRight<13>(h)), mix2);
    h = hn::Mul(hn::Xor(h, hn::ShiftRight<16>(h)), mix1);
    h = hn::Mul(hn::Xor(h, hn::ShiftRight<13>(h)), mix2);
    h = hn::Xor(h, hn::ShiftRight<16>(h));
    return hn::RebindMask(kFloats, hn::Eq(hn::Max(h, limit_), h));
  }

  Vector scale() const { return scale_; }

 private:
  static constexpr hn::RebindToUnsigned<decltype(kFloats)> kWords{};
  using Words = hn::Vec<decltype(kWords)>;

  Words low_, high_, limit_;
  Vector scale_;
  Words places_;  // 0, 1, 2, ...
};

}  // namespace
}  // namespace mgdm::ops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
