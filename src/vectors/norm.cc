#include "vectors/norm.h"

#include <cmath>

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/norm.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

// The sum of f(x) over a row: in four parts, which do not wait for each other.
template <class F>
HWY_INLINE float sum_over(const float* x, std::size_t width, const F& f) {
  Vector sums[4] = {hn::Zero(kFloats), hn::Zero(kFloats), hn::Zero(kFloats), hn::Zero(kFloats)};
  std::size_t j = 0;
  for (; j + 4 * kLanes <= width; j += 4 * kLanes)
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i)
      sums[i] = hn::Add(sums[i], f(hn::LoadU(kFloats, x + j + i * kLanes)));
  Vector sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  for (; j + kLanes <= width; j += kLanes) sum = hn::Add(sum, f(hn::LoadU(kFloats, x + j)));
  if (j < width)
    sum = hn::Add(
        sum, hn::IfThenElseZero(hn::FirstN(kFloats, width - j), f(load_part(x + j, width - j))));
  return hn::GetLane(hn::SumOfLanes(kFloats, sum));
}

// to[j] = f(x[j], j) over a row.
template <class F>
HWY_INLINE void map_row(const float* x, std::size_t width, float* to, const F& f) {
  std::size_t j = 0;
  for (; j + kLanes <= width; j += kLanes)
    hn::StoreU(f(hn::LoadU(kFloats, x + j), j), kFloats, to + j);
  if (j < width) store_part(f(load_part(x + j, width - j), j), width - j, to + j);
}

void rms_norm_here(ConstRows from, std::size_t rows, std::size_t width, float eps, MutableRows to) {
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const x = from.data + i * from.stride;
    const float squares = sum_over(x, width, [](Vector v) { return hn::Mul(v, v); });
    const Vector factor =
        hn::Set(kFloats, 1 / std::sqrt(squares / static_cast<float>(width) + eps));
    map_row(x, width, to.data + i * to.stride,
            [&](Vector v, std::size_t) { return hn::Mul(v, factor); });
  }
}

void layer_norm_here(ConstRows from, std::size_t rows, std::size_t width, float eps,
                     const float* weight, const float* bias, MutableRows to) {
  const auto count = static_cast<float>(width);
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const x = from.data + i * from.stride;
    const Vector mean = hn::Set(kFloats, sum_over(x, width, [](Vector v) { return v; }) / count);
    const float squares = sum_over(x, width, [&](Vector v) {
      const Vector off = hn::Sub(v, mean);
      return hn::Mul(off, off);
    });
    const Vector factor = hn::Set(kFloats, 1 / std::sqrt(squares / count + eps));
    map_row(x, width, to.data + i * to.stride, [&](Vector v, std::size_t j) {
      const Vector normal = hn::Mul(hn::Sub(v, mean), factor);
      return hn::MulAdd(normal, hn::LoadU(kFloats, weight + j), hn::LoadU(kFloats, bias + j));
    });
  }
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::vectors {

HWY_EXPORT(rms_norm_here);
HWY_EXPORT(layer_norm_here);

void rms_norm(ConstRows from, std::size_t rows, std::size_t width, float eps, MutableRows to) {
  HWY_DYNAMIC_DISPATCH(rms_norm_here)(from, rows, width, eps, to);
}

void layer_norm(ConstRows from, std::size_t rows, std::size_t width, float eps, const float* weight,
                const float* bias, MutableRows to) {
  HWY_DYNAMIC_DISPATCH(layer_norm_here)(from, rows, width, eps, weight, bias, to);
}

}  // namespace mgdm::vectors
#endif
