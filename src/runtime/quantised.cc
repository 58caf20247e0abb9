#include "runtime/quantised.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/quantised.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::runtime::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using vectors::HWY_NAMESPACE::kFloats;
using vectors::HWY_NAMESPACE::kLanes;
using vectors::HWY_NAMESPACE::Vector;

// Whole vectors of the row; gives how many numbers that were. `odd` becomes NaN when one of them is
// NaN or infinite, which a maximum may pass over, and stays 0 otherwise.
std::size_t largest_here(const float* from, std::size_t depth, float& largest, float& odd) {
  const Vector zero = hn::Zero(kFloats);
  Vector top = zero, noughts = zero;
  std::size_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    const Vector x = hn::LoadU(kFloats, from + k);
    top = hn::Max(top, hn::Abs(x));
    noughts = hn::MulAdd(x, zero, noughts);
  }
  largest = hn::GetLane(hn::MaxOfLanes(kFloats, top));
  odd = hn::GetLane(hn::SumOfLanes(kFloats, noughts));
  return k;
}

std::size_t to_whole_here(const float* from, std::size_t depth, float factor, std::int16_t* to) {
  const Vector by = hn::Set(kFloats, factor);
  const hn::Rebind<std::int16_t, decltype(kFloats)> narrow;
  std::size_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    const auto whole = hn::NearestInt(hn::Mul(hn::LoadU(kFloats, from + k), by));
    hn::StoreU(hn::DemoteTo(narrow, whole), narrow, to + k);
  }
  return k;
}

}  // namespace
}  // namespace mgdm::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::runtime {

HWY_EXPORT(largest_here);
HWY_EXPORT(to_whole_here);

namespace {

// What numbers are multiplied by, so that the largest becomes `most`. A row of nothing but noughts,
// or of numbers whose reciprocals are none, becomes noughts.
float factor_for(float largest, float most) {
  constexpr float kLeast = 1e-30f;
  return largest > kLeast ? most / largest : 0;
}

}  // namespace

QuantisedWeights quantised(std::span<const float> weights, std::size_t out, std::size_t in) {
  constexpr std::size_t kWidest = 32;  // of all panels
  QuantisedWeights to{std::vector<std::int8_t>(weights.size()),
                      Array<float>((out + kWidest - 1) / kWidest * kWidest)};
  for (std::size_t j = 0; j < out; ++j) {
    const std::span<const float> row = weights.subspan(j * in, in);
    float largest = 0;
    for (const float number : row) largest = std::max(largest, std::abs(number));
    to.scales[j] = largest / 127;
    const float factor = factor_for(largest, 127);
    for (std::size_t k = 0; k < in; ++k)
      to.numbers[j * in + k] =
          static_cast<std::int8_t>(std::clamp(std::nearbyint(row[k] * factor), -127.0f, 127.0f));
  }
  return to;
}

std::int32_t most_activation(std::size_t depth) {
  constexpr std::size_t kRoom = std::numeric_limits<std::int32_t>::max();
  const std::size_t most = kRoom / (127 * std::max<std::size_t>(depth, 1));
  return static_cast<std::int32_t>(std::clamp<std::size_t>(most, 1, 127u << kLowBits));
}

float quantise_row(const float* from, std::size_t depth, std::size_t padded, std::int16_t* to) {
  float largest = 0, odd = 0;
  for (std::size_t k = HWY_DYNAMIC_DISPATCH(largest_here)(from, depth, largest, odd); k < depth;
       ++k) {
    largest = std::max(largest, std::abs(from[k]));
    odd += from[k] * 0;
  }
  if (std::isnan(odd)) {
    std::fill(to, to + padded, std::int16_t{0});
    return std::numeric_limits<float>::quiet_NaN();
  }
  const auto most = static_cast<float>(most_activation(depth));
  const float factor = factor_for(largest, most);
  std::size_t k = HWY_DYNAMIC_DISPATCH(to_whole_here)(from, depth, factor, to);
  for (; k < depth; ++k)
    to[k] = static_cast<std::int16_t>(std::clamp(std::nearbyint(from[k] * factor), -most, most));
  std::fill(to + k, to + padded, std::int16_t{0});
  return largest / most;
}

}  // namespace mgdm::runtime
#endif
