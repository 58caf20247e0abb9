#include "compat/kernel_profile.h"

#include <algorithm>
#include <map>

#include "compat/kernel_work.h"

#ifdef MGDM_CUDA
#include <torch/csrc/autograd/profiler_kineto.h>

#include <set>
#endif

namespace mgdm::compat {
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

struct Operation {
  Work work;
  const ProfiledEvent* longest = nullptr;  // of its kernels
};

// By id, those that launched a kernel and tell of work.
std::map<std::uint64_t, Operation> operations_of(const std::vector<ProfiledEvent>& events) {
  std::map<std::uint64_t, Operation> operations;
  for (const ProfiledEvent& event : events) {
    if (event.on_device) continue;
    if (const auto told = work_of(event.name))
      operations[event.id] = {*told};
    else if (event.bytes > 0 || event.flop > 0)
      operations[event.id] = {{.bytes = event.bytes, .flop = event.flop}};
  }
  for (const ProfiledEvent& event : events) {
    const auto found = event.on_device ? operations.find(event.launch) : operations.end();
    if (found == operations.end()) continue;
    const ProfiledEvent*& longest = found->second.longest;
    if (longest == nullptr || event.ms > longest->ms) longest = &event;
  }
  return operations;
}

}  // namespace

std::vector<KernelUse> uses_of(const std::vector<ProfiledEvent>& events) {
  struct Sum {
    KernelUse use;
    std::int64_t with_bytes = 0, with_flop = 0;  // calls
  };
  const std::map<std::uint64_t, Operation> operations = operations_of(events);
  std::map<std::string, Sum> by_name;
  for (const ProfiledEvent& event : events) {
    if (!event.on_device) continue;
    const std::string name = short_name(event.name);
    Sum& sum = by_name[name];
    sum.use.name = name;
    sum.use.calls += 1;
    sum.use.ms += event.ms;
    const auto found = operations.find(event.launch);
    if (found == operations.end()) continue;
    const Work& work = found->second.work;
    if (sum.use.label.empty()) sum.use.label = work.label;
    if (found->second.longest != &event) continue;
    sum.use.bytes += work.bytes;
    sum.use.flop += work.flop;
    sum.with_bytes += work.bytes > 0;
    sum.with_flop += work.flop > 0;
  }
  std::vector<KernelUse> uses;
  for (auto& [name, sum] : by_name) {
    if (sum.with_bytes < sum.use.calls) sum.use.bytes = 0;
    if (sum.with_flop < sum.use.calls) sum.use.flop = 0;
    uses.push_back(std::move(sum.use));
  }
  std::ranges::sort(uses, std::ranges::greater(), &KernelUse::ms);
  return uses;
}

void add_work(std::vector<KernelUse>& kernels, const std::vector<KernelUse>& with_work) {
  for (KernelUse& kernel : kernels)
    for (const KernelUse& known : with_work)
      if (known.name == kernel.name && known.calls == kernel.calls) {
        kernel.label = known.label;
        kernel.bytes = known.bytes;
        kernel.flop = known.flop;
      }
}

#ifdef MGDM_CUDA

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
  std::vector<ProfiledEvent> events;
  for (const profiler::KinetoEvent& event : result->events()) {
    ProfiledEvent seen{.name = event.name()};
    if (event.deviceType() == c10::DeviceType::CUDA) {
      seen.on_device = true;
      seen.launch = event.linkedCorrelationId();
      seen.ms = static_cast<double>(event.durationNs()) / 1e6;
    } else {
      seen.id = event.correlationId();
      if (is_matrix_product(seen.name)) seen.flop = static_cast<double>(event.flops());
      seen.bytes = operation_bytes(seen.name, event.shapes(), event.dtypes());
    }
    events.push_back(std::move(seen));
  }
  return uses_of(events);
}

#else

std::vector<KernelUse> profile_kernels(const std::function<void()>& body) {
  body();
  return {};
}

#endif

}  // namespace mgdm::compat
