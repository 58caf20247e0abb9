#ifdef MGDM_HAVE_VECTORS

#include "ops/cpu/attention_weights.h"

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/cpu/attention_weights.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "ops/cpu/keep-inl.h"
#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::ops::cpu::HWY_NAMESPACE {
namespace {

using namespace vectors::HWY_NAMESPACE;

void drop_weights_here(const Keep& keep, std::uint32_t first, std::size_t count, float* p,
                       float* out) {
  const Draws draws(keep);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const auto mask = draws.kept(first + static_cast<std::uint32_t>(i));
    const Vector weight = hn::LoadU(kFloats, p + i);
    hn::StoreU(hn::IfThenElseZero(mask, hn::Mul(draws.scale(), weight)), kFloats, out + i);
    hn::StoreU(hn::IfThenElse(mask, weight, hn::Neg(weight)), kFloats, p + i);
  }
}

// ds = scale (k dk - p sum(k dk)), where k = d p was kept: p dp = k dk.
template <bool kDropout>
HWY_INLINE void gradients_of_row(float scale, float keep_scale, const float* p, std::size_t columns,
                                 float* out, float* gradient) {
  Vector total = hn::Zero(kFloats);
  for (std::size_t j = 0; j < columns; j += kLanes) {
    Vector weight = hn::LoadU(kFloats, p + j);
    if constexpr (kDropout) {
      weight = hn::Mul(hn::Set(kFloats, keep_scale), hn::ZeroIfNegative(weight));
      hn::StoreU(weight, kFloats, out + j);
    }
    const Vector product = hn::Mul(weight, hn::LoadU(kFloats, gradient + j));
    total = hn::Add(total, product);
    hn::StoreU(product, kFloats, gradient + j);
  }
  const Vector mean = hn::SumOfLanes(kFloats, total), factor = hn::Set(kFloats, scale);
  for (std::size_t j = 0; j < columns; j += kLanes) {
    const Vector weight = hn::Abs(hn::LoadU(kFloats, p + j));
    const Vector product = hn::LoadU(kFloats, gradient + j);
    hn::StoreU(hn::Mul(factor, hn::NegMulAdd(weight, mean, product)), kFloats, gradient + j);
  }
}

void score_gradients_here(float scale, float keep_scale, const float* p, std::size_t rows,
                          std::size_t columns, float* out, float* gradient) {
  for (std::size_t i = 0; i < rows; ++i, p += columns, gradient += columns) {
    if (out == nullptr) {
      gradients_of_row<false>(scale, keep_scale, p, columns, out, gradient);
    } else {
      gradients_of_row<true>(scale, keep_scale, p, columns, out, gradient);
      out += columns;
    }
  }
}

}  // namespace
}  // namespace mgdm::ops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::ops::cpu {

HWY_EXPORT(drop_weights_here);
HWY_EXPORT(score_gradients_here);

void drop_weights(const Keep& keep, std::uint32_t first, std::size_t count, float* p, float* kept) {
  HWY_DYNAMIC_DISPATCH(drop_weights_here)(keep, first, count, p, kept);
}

void score_gradients(float scale, float keep_scale, const float* p, std::size_t rows,
                     std::size_t columns, float* kept, float* gradient) {
  HWY_DYNAMIC_DISPATCH(score_gradients_here)(scale, keep_scale, p, rows, columns, kept, gradient);
}

}  // namespace mgdm::ops::cpu
#endif

#endif  // MGDM_HAVE_VECTORS
