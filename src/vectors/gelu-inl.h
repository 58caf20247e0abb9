// gelu in its form with tanh, and its derivative, for vectors of floats.
//
//   gelu(x) = x s(x)   with s(x) = 1 / (1 + exp(-2 u)),  u = sqrt(2 / pi) (x + 0.044715 x^3)

// Highway includes this file once per instruction set (hwy/foreach_target.h).
#if defined(MGDM_VECTORS_GELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MGDM_VECTORS_GELU_INL_H_
#undef MGDM_VECTORS_GELU_INL_H_
#else
#define MGDM_VECTORS_GELU_INL_H_
#endif

#include <hwy/highway.h>

#include "vectors/exp-inl.h"
#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

constexpr float kGeluTwice = 1.5957691216057308f;  // 2 sqrt(2 / pi)
constexpr float kGeluCube = 0.044715f;

// 1 + exp(-2 u)
HWY_INLINE Vector gelu_divisor(Vector x) {
  const Vector one = hn::Set(kFloats, 1.0f), square = hn::Mul(x, x);
  const Vector inner = hn::MulAdd(square, hn::Set(kFloats, kGeluCube), one);
  const Vector u = hn::Mul(hn::Mul(x, inner), hn::Set(kFloats, -kGeluTwice));
  return hn::Add(one, exp(kFloats, u));
}

HWY_INLINE Vector gelu(Vector x) { return hn::Div(x, gelu_divisor(x)); }

// s + x s (1 - s) 2 u', u' = sqrt(2 / pi) (1 + 3 * 0.044715 x^2)
HWY_INLINE Vector gelu_derivative(Vector x) {
  const Vector one = hn::Set(kFloats, 1.0f);
  const Vector s = hn::Div(one, gelu_divisor(x));
  const Vector inner = hn::MulAdd(hn::Mul(x, x), hn::Set(kFloats, 3 * kGeluCube * kGeluTwice),
                                  hn::Set(kFloats, kGeluTwice));
  return hn::MulAdd(hn::Mul(hn::Mul(x, s), hn::Sub(one, s)), inner, s);
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
