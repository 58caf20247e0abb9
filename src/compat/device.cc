#include "compat/device.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "base/text.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef MGDM_CUDA
#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 4)
#error "LibTorch with CUDA: mgdm needs 2.4 or newer"
#endif
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace mgdm::compat {

bool cuda_available() { return at::hasCUDA() && at::globalContext().hasCUDA(); }

bool is_hopper() {
#ifdef MGDM_CUDA
  return cuda_available() && at::cuda::getCurrentDeviceProperties()->major == 9;
#else
  return false;
#endif
}

c10::Device device(std::string_view name) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  if (name == "auto") return device(cuda_available() ? "cuda" : "cpu");
  if (name == "cuda" || name.starts_with("cuda:")) {
    auto index = name == "cuda" ? 0 : parse_int(name.substr(5)).value_or(-1);
#ifdef MGDM_CUDA
    const std::int64_t count = c10::cuda::device_count();
    // Each of several processes has a GPU of its own; some launchers show it no other.
    const char* const local = name == "cuda" && count > 1 ? std::getenv("LOCAL_RANK") : nullptr;
    if (local != nullptr) index = parse_int(local).value_or(-1);
    if (index >= 0 && index < count) {
      const auto place = static_cast<c10::DeviceIndex>(index);
      c10::cuda::set_device(place);  // streams and generators are taken from the current one
      return c10::Device(c10::kCUDA, place);
    }
    if (local != nullptr)
      throw Error(fmt::format("LOCAL_RANK={}, but {} GPUs", in_quotes(local), count),
                  fmt::format("a GPU for each process: LOCAL_RANK from 0 to {}", count - 1),
                  "fewer processes, or the device cpu");
    throw Error(fmt::format("there is no device {}", in_quotes(name)),
                fmt::format("{} CUDA device(s) on this machine", count), "the device cpu");
#else
    (void)index;
    throw Error("this mgdm was built with a LibTorch for the CPU",
                "a CUDA build for the device cuda", "the device cpu");
#endif
  }
  throw UsageError(fmt::format("unknown device {}", in_quotes(name)), "auto, cpu, cuda or cuda:N");
}

std::int64_t peak_memory(c10::Device device) {
#ifdef MGDM_CUDA
  if (device.is_cuda()) {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
    return stats.reserved_bytes[0].peak;  // 0: of all kinds of memory together
  }
#endif
  (void)device;
  return 0;
}

void forget_peak_memory(c10::Device device) {
#ifdef MGDM_CUDA
  if (device.is_cuda()) {
    c10::cuda::CUDACachingAllocator::emptyCache();
    c10::cuda::CUDACachingAllocator::resetPeakStats(device.index());
  }
#endif
  (void)device;
}

std::string device_name(c10::Device device) {
#ifdef MGDM_CUDA
  if (device.is_cuda()) return at::cuda::getDeviceProperties(device.index())->name;
#endif
  (void)device;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "CPU";
}

std::string device_id(c10::Device device) {
#ifdef MGDM_CUDA
  if (device.is_cuda()) {
    std::string id;
    for (const char byte : at::cuda::getDeviceProperties(device.index())->uuid.bytes)
      id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return id;
  }
#endif
  (void)device;
  return "";
}

void synchronize(c10::Device device) {
#ifdef MGDM_CUDA
  if (device.is_cuda()) c10::cuda::device_synchronize();
#endif
  (void)device;
}

void seed_dropout(std::uint64_t seed) {
  const auto set = [&](c10::Device device) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    generator.set_current_seed(seed);
  };
  set(c10::Device(c10::kCPU));
#ifdef MGDM_CUDA
  if (cuda_available()) set(c10::Device(c10::kCUDA, c10::cuda::current_device()));
#endif
}

// The setters take a device from 2.4 on.
Autocast::Autocast(c10::Device device, bool enabled) : enabled_(enabled && device.is_cuda()) {
#ifdef MGDM_CUDA
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
#endif
}

Autocast::~Autocast() {
#ifdef MGDM_CUDA
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  at::autocast::clear_cache();
#endif
}

bool autocasts([[maybe_unused]] c10::Device device) {
#ifdef MGDM_CUDA
  return device.is_cuda() && at::autocast::is_autocast_enabled(at::kCUDA);
#else
  return false;
#endif
}

FullPrecision::FullPrecision([[maybe_unused]] c10::Device device) {
#ifdef MGDM_CUDA
  suspended_ = device.is_cuda() && at::autocast::is_autocast_enabled(at::kCUDA);
  if (suspended_) at::autocast::set_autocast_enabled(at::kCUDA, false);
#endif
}

FullPrecision::~FullPrecision() {
#ifdef MGDM_CUDA
  if (suspended_) at::autocast::set_autocast_enabled(at::kCUDA, true);
#endif
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);  // no mappings of their own for large blocks
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace mgdm::compat
