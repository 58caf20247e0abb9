// What kernels ask of the current GPU before they are launched.
#pragma once

namespace mgdm::ops::cuda {

struct Gpu {
  int multiprocessors = 1;
  int shared_bytes = 0;  // of shared memory that a block may have
  int major = 0;         // of the compute capability

  static const Gpu& current();  // asked once: all GPUs of a process are taken to be alike
};

}  // namespace mgdm::ops::cuda
