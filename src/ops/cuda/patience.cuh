// How long a thread on the device waits for others. Where it takes many seconds something is wrong,
// and an error is better than a device that hangs. It goes by the clock: under tools that slow
// everything down a hundredfold, any number of looks may be too few.
#pragma once

namespace mgdm::ops::cuda {

//   for (Patience patience; !is_there(); patience.wait_on()) {}
class Patience {
 public:
  __device__ __forceinline__ void wait_on() {
    if (++looks_ % kLooksBetweenClocks != 0) return;
    const unsigned now = ticks();
    if (looks_ == kLooksBetweenClocks) began_ = now;
    if (now - began_ > kMostTicks) __trap();
  }

 private:
  static constexpr unsigned kLooksBetweenClocks = 256;
  static constexpr unsigned kMostTicks = 5;  // over 21 seconds

  // The clock in ticks of 2^32 nanoseconds.
  static __device__ __forceinline__ unsigned ticks() {
    unsigned high;
    asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
    return high;
  }

  unsigned looks_ = 0, began_ = 0;
};

}  // namespace mgdm::ops::cuda
