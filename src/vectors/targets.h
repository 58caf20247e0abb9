// Which instruction sets the files with Highway are compiled for: all that Highway 1.0 knows but
//
// - those whose vectors have no size at compile time: a tile of sums is an array of vectors, and
//   there are no arrays of such. The processors that have SVE have NEON, too.
// - SSSE3: processors that have it and not SSE4 are of 2006.
//
// Include it before <hwy/foreach_target.h>.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
