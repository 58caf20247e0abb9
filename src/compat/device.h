// Devices, autocast and seeds: what differs between CPU and CUDA and between LibTorch versions.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mgdm::compat {

bool cuda_available();

// Whether the current GPU has compute capability 9 (H100, H200).
bool is_hopper();

// Parses "cpu", "cuda", "cuda:1" or "auto" (CUDA if there is a GPU). With several GPUs "cuda" is
// the one that LOCAL_RANK names. The GPU becomes the current one. An Error says what is missing.
c10::Device device(std::string_view name);

// The name for people: "NVIDIA H200", or the processor's model name.
std::string device_name(c10::Device device);

// A text that identifies the GPU, whatever index it has in this process; empty for a CPU.
std::string device_id(c10::Device device);

// The largest number of bytes that this process held on a GPU since its start or since
// forget_peak_memory(), which first releases unused memory; 0 for a CPU.
std::int64_t peak_memory(c10::Device device);
void forget_peak_memory(c10::Device device);

// Waits until the device has finished all queued work.
void synchronize(c10::Device device);

// Seeds LibTorch's own generators. Only dropout uses them.
void seed_dropout(std::uint64_t seed);

// While it lives and is `enabled`: mixed precision, with matrix products in bf16 and the rest in
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

// Whether mixed precision is on for the device in this thread.
bool autocasts(c10::Device device);

// Within mixed precision: while it lives, matrix products keep the types of their tensors.
class FullPrecision {
 public:
  explicit FullPrecision(c10::Device device);
  ~FullPrecision();
  FullPrecision(const FullPrecision&) = delete;
  FullPrecision& operator=(const FullPrecision&) = delete;

 private:
  bool suspended_ = false;
};

// The process keeps freed memory from now on. A training step frees and requests the same tensors
// as the step before; otherwise glibc returns their pages and gets zeroed ones, which costs 3 % of
// the tiny model's step.
void keep_freed_memory();

}  // namespace mgdm::compat
