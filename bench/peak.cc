#include "peak.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/team.h"
#include "vectors/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mgdm::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// As many as the registers have room for. Where four begin in every cycle and each takes four
// cycles, as on some arm64 processors, 12 would be too few.
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
constexpr std::size_t kChains = 12;
#else
constexpr std::size_t kChains = 24;
#endif

constexpr bool kFused = HWY_NATIVE_FMA != 0;

// x += a b, `times` times in each chain: no chain waits for another. Gives the number of
// multiplications and additions. What multiplies comes from memory, as in a product: Neoverse V1
// reads vectors that it has loaded twice as fast as those that it has computed. NEON's instruction
// overwrites what is added, so that x = x a + b would be two. Without such an instruction a b would
// be computed once for all, and it is x = x a + b.
double multiply_and_add_here(std::size_t times, const float* factors) {
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> x[kChains];
  const auto a = hn::LoadU(d, factors), b = hn::LoadU(d, factors + hn::MaxLanes(d));
#pragma GCC unroll 24
  for (std::size_t c = 0; c < kChains; ++c) x[c] = hn::Set(d, static_cast<float>(c));
  for (std::size_t t = 0; t < times; ++t) {
#pragma GCC unroll 24
    for (std::size_t c = 0; c < kChains; ++c)
      x[c] = kFused ? hn::MulAdd(a, b, x[c]) : hn::MulAdd(x[c], a, b);
  }
  auto sum = hn::Zero(d);
#pragma GCC unroll 24
  for (std::size_t c = 0; c < kChains; ++c) sum = hn::Add(sum, x[c]);
  volatile float used = hn::GetLane(hn::SumOfLanes(d, sum));  // so that nothing is left out
  (void)used;
  return 2.0 * static_cast<double>(times * kChains * hn::Lanes(d));
}

}  // namespace
}  // namespace mgdm::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::bench {

HWY_EXPORT(multiply_and_add_here);

double peak_operations(int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kTimes = 2'500'000, kRuns = 10;
  const std::vector<float> factors(64, 0.5f);
  runtime::Team team(threads);
  double best = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    std::vector<double> done(static_cast<std::size_t>(threads));
    const auto begin = Clock::now();
    team.run([&](int member) {
      done[static_cast<std::size_t>(member)] =
          HWY_DYNAMIC_DISPATCH(multiply_and_add_here)(kTimes, factors.data());
    });
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    double all = 0;
    for (const double each : done) all += each;
    best = std::max(best, all / seconds);
  }
  return best;
}

}  // namespace mgdm::bench
#endif
