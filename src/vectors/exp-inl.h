// e^x for a vector of numbers, compiled once for every instruction set.

// Highway includes this file once per instruction set (hwy/foreach_target.h).
#if defined(MGDM_VECTORS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MGDM_VECTORS_EXP_INL_H_
#undef MGDM_VECTORS_EXP_INL_H_
#else
#define MGDM_VECTORS_EXP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {

// Accurate to about two units in the last place between e^-87 and e^88; x is clamped to that range.
// NaN stays NaN.
//
//   e^x = 2^n e^r  with n = round(x / log 2),  r = x - n log 2 in [-0.35, 0.35]
//
// and e^r by its Taylor polynomial of degree 7 (the first omitted term is below 6e-9), evaluated in
// pairs of terms, which shortens the chain of dependent steps. A float from 2^23 to 2^24 has a
// whole number in its last bits, so adding 1.5 2^23 rounds; adding 127 as well gives the exponent
// of 2^n.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const V low = hn::Set(d, -87.0f), high = hn::Set(d, 88.0f), one = hn::Set(d, 1.0f);
  x = hn::IfThenElse(hn::Lt(x, low), low, x);  // Max and Min lose what is no number
  x = hn::IfThenElse(hn::Gt(x, high), high, x);
  const V whole = hn::Set(d, 12582912.0f + 127);
  const V exponent = hn::MulAdd(x, hn::Set(d, 1.44269504f), whole);
  const V n = hn::Sub(exponent, whole);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);   // log 2 in two parts: the first is short,
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);  // so that n times it is exact
  const V square = hn::Mul(r, r);
  V p = hn::MulAdd(r, hn::Set(d, 1.0f / 5040), hn::Set(d, 1.0f / 720));
  p = hn::MulAdd(p, square, hn::MulAdd(r, hn::Set(d, 1.0f / 120), hn::Set(d, 1.0f / 24)));
  p = hn::MulAdd(p, square, hn::MulAdd(r, hn::Set(d, 1.0f / 6), hn::Set(d, 0.5f)));
  p = hn::MulAdd(p, square, hn::Add(r, one));
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, exponent))));
}

}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
