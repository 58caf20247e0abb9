#include "compat/kernel_profile.h"

#ifdef MGDM_CUDA
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <map>
#include <set>
#endif

namespace mgdm::compat {

#ifdef MGDM_CUDA

namespace {

// "void at::native::add<float>(int, float*)" -> "at::native::add<float>"
std::string short_name(std::string name) {
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0 && !name.substr(i).starts_with("(anonymous"))
      return name.substr(0, i);
  }
  return name;
}

}  // namespace

std::vector<KernelUse> profile_kernels(const std::function<void()>& body) {
  namespace profiler = torch::autograd::profiler;
  namespace impl = torch::profiler::impl;
  const impl::ProfilerConfig config(impl::ProfilerState::KINETO, /*report_input_shapes=*/true,
                                    /*profile_memory=*/false, /*with_stack=*/false,
                                    /*with_flops=*/true, /*with_modules=*/false);
  const std::set<impl::ActivityType> activities{impl::ActivityType::CPU, impl::ActivityType::CUDA};
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  body();
  const auto result = profiler::disableProfiler();

  std::map<std::uint64_t, double> flop_of_call;  // by the operation that launched
  for (const profiler::KinetoEvent& event : result->events())
    if (event.deviceType() == c10::DeviceType::CPU && event.flops() > 0)
      flop_of_call[event.correlationId()] = static_cast<double>(event.flops());
  std::map<std::string, KernelUse> by_name;
  for (const profiler::KinetoEvent& event : result->events()) {
    if (event.deviceType() != c10::DeviceType::CUDA) continue;
    const std::string name = short_name(event.name());
    KernelUse& use = by_name[name];
    use.name = name;
    use.calls += 1;
    use.ms += static_cast<double>(event.durationNs()) / 1e6;
    const auto flop = flop_of_call.find(event.linkedCorrelationId());
    if (flop != flop_of_call.end()) use.flop += std::exchange(flop->second, 0);
  }
  std::vector<KernelUse> uses;
  for (auto& [name, use] : by_name) uses.push_back(std::move(use));
  std::ranges::sort(uses, std::ranges::greater(), &KernelUse::ms);
  return uses;
}

#else

std::vector<KernelUse> profile_kernels(const std::function<void()>& body) {
  body();
  return {};
}

#endif

}  // namespace mgdm::compat
