// The instruction sets that files with Highway are compiled for: all of Highway 1.0 except
//
// - those whose vectors have no size at compile time, because a tile of sums is an array of
// vectors.
//   Processors with SVE also have NEON.
// - SSSE3: only processors of 2006 have it without SSE4.
//
// Include it before <hwy/foreach_target.h>.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
