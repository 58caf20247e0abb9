#ifdef MGDM_HAVE_VECTORS

#include "ops/cpu/elementwise_loops.h"

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/cpu/elementwise_loops.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "ops/cpu/keep-inl.h"
#include "vectors/floats-inl.h"
#include "vectors/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::ops::cpu::HWY_NAMESPACE {
namespace {

using namespace vectors::HWY_NAMESPACE;

// to[i] = f(i, from[i]...) for all of them, a vector at a time.
template <class F, class... From>
HWY_INLINE void map(std::size_t count, float* to, const F& f, const From*... from) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(f(i, hn::LoadU(kFloats, from + i)...), kFloats, to + i);
  if (i < count) store_part(f(i, load_part(from + i, count - i)...), count - i, to + i);
}

void gelu_here(const float* x, std::size_t count, float* y) {
  map(
      count, y, [](std::size_t, Vector v) { return gelu(v); }, x);
}

void gelu_gradient_here(const float* x, const float* dy, std::size_t count, float* dx) {
  map(
      count, dx,
      [](std::size_t, Vector v, Vector gradient) { return hn::Mul(gradient, gelu_derivative(v)); },
      x, dy);
}

void dropout_here(const Keep& keep, std::uint32_t first, const float* x, std::size_t count,
                  float* y) {
  const Draws draws(keep);
  map(
      count, y,
      [&](std::size_t i, Vector v) {
        const auto mask = draws.kept(first + static_cast<std::uint32_t>(i));
        return hn::Mul(v, hn::IfThenElseZero(mask, draws.scale()));
      },
      x);
}

}  // namespace
}  // namespace mgdm::ops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::ops::cpu {

HWY_EXPORT(gelu_here);
HWY_EXPORT(gelu_gradient_here);
HWY_EXPORT(dropout_here);

void gelu_loop(const float* x, std::size_t count, float* y) {
  HWY_DYNAMIC_DISPATCH(gelu_here)(x, count, y);
}

void gelu_gradient_loop(const float* x, const float* dy, std::size_t count, float* dx) {
  HWY_DYNAMIC_DISPATCH(gelu_gradient_here)(x, dy, count, dx);
}

void dropout_loop(const Keep& keep, std::uint32_t first, const float* x, std::size_t count,
                  float* y) {
  HWY_DYNAMIC_DISPATCH(dropout_here)(keep, first, x, count, y);
}

}  // namespace mgdm::ops::cpu
#endif

#endif  // MGDM_HAVE_VECTORS
