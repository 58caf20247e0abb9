// Devices, autocast and seeds: what differs between CPU and CUDA and between LibTorch versions.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mgdm::compat {

bool cuda_available();

// "cpu", "cuda", "cuda:1", or "auto": CUDA where there is one. Of several GPUs "cuda" is the one
// that LOCAL_RANK names. A GPU becomes the current one. An Error says what is missing.
c10::Device device(std::string_view name);

// "NVIDIA H200", or the processor's model name.
std::string device_name(c10::Device device);

// The same text only for the same GPU, whatever its index is for this process; empty for a CPU.
std::string device_id(c10::Device device);

// The most bytes that this process held on a GPU since its start, or since forget_peak_memory(),
// which first gives back what was freed; 0 for a CPU.
std::int64_t peak_memory(c10::Device device);
void forget_peak_memory(c10::Device device);

// Waits until everything asked of the device is done.
void synchronize(c10::Device device);

// Seeds LibTorch's own generators, which only dropout uses.
void seed_dropout(std::uint64_t seed);

// Mixed precision in bf16 while it lives, where `enabled`: matrix products in bf16, the rest in
// fp32.
class Autocast {
 public:
  Autocast(c10::Device device, bool enabled);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled_;
};

// Whether mixed precision is on for the device, in this thread.
bool autocasts(c10::Device device);

// Within mixed precision, matrix products as their tensors are, while it lives.
class FullPrecision {
 public:
  explicit FullPrecision(c10::Device device);
  ~FullPrecision();
  FullPrecision(const FullPrecision&) = delete;
  FullPrecision& operator=(const FullPrecision&) = delete;

 private:
  bool suspended_ = false;
};

// From now on the process keeps the memory it frees. A training step frees and asks for the same
// tensors as the one before; glibc would give their pages back and have them zeroed again, 3% of
// the tiny model's step.
void keep_freed_memory();

}  // namespace mgdm::compat
