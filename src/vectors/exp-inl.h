// e^x for a vector of numbers, compiled once for every instruction set.

// Highway's way of including a file several times (hwy/foreach_target.h).
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

// To about two units in the last place between e^-87 and e^88, beyond which x is taken to be there;
// not a number stays that.
//
//   e^x = 2^n e^r  with n = round(x / log 2),  r = x - n log 2 in [-0.35, 0.35]
//
// and e^r by its Taylor polynomial of degree 7, whose first missing term is below 6e-9.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const V low = hn::Set(d, -87.0f), high = hn::Set(d, 88.0f);
  x = hn::IfThenElse(hn::Lt(x, low), low, x);  // Max and Min lose what is no number
  x = hn::IfThenElse(hn::Gt(x, high), high, x);
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);   // log 2 in two parts: the first is short,
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);  // so that n times it is exact
  V p = hn::Set(d, 1.0f / 5040);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 720));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 120));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 24));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 6));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const auto whole = hn::ConvertTo(di, hn::IfThenElseZero(hn::Eq(n, n), n));  // p is no number, too
  const auto power = hn::ShiftLeft<23>(hn::Add(whole, hn::Set(di, 127)));
  return hn::Mul(p, hn::BitCast(d, power));
}

}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
