// The draws of keep.h for a vector of numbers, compiled once for every instruction set.

// Highway's way of including a file several times (hwy/foreach_target.h).
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

// Which of the numbers from `index` on are kept.
HWY_INLINE hn::Mask<decltype(kFloats)> kept(const Keep& keep, std::uint32_t index) {
  const hn::RebindToUnsigned<decltype(kFloats)> words;
  const auto mix1 = hn::Set(words, 0x85EBCA6Bu), mix2 = hn::Set(words, 0xC2B2AE35u);
  auto h = hn::Mul(hn::Iota(words, index), hn::Set(words, 0x9E3779B1u));
  h = hn::Xor(h, hn::Set(words, keep.low));
  // Twice the mixing of MurmurHash3.
  h = hn::Add(hn::Mul(hn::Xor(h, hn::ShiftRight<16>(h)), mix1), hn::Set(words, keep.high));
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<13>(h)), mix2);
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<16>(h)), mix1);
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<13>(h)), mix2);
  h = hn::Xor(h, hn::ShiftRight<16>(h));
  return hn::RebindMask(kFloats, hn::Eq(hn::Max(h, hn::Set(words, keep.limit)), h));
}

}  // namespace
}  // namespace mgdm::ops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
