#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/threads.h"
#include "compat/device.h"
#include "compat/parallel.h"
#include "report/result_json.h"
#include "workshop/signature.h"
#include "workshop/workshop.h"

namespace mgdm::workshop {
namespace {

struct BenchSettings {
  std::string name, device = "cpu", json;
  std::int64_t threads = 0, batch = 16;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("name", name, "which one; without a name they are listed");
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    cli::visit_threads(v, threads);
    v.field("batch", batch, "rows at a time", config::range(1, 1e6));
    v.field("json", json, "write the result to this file; - prints it alone");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

void bench_signature(BenchSettings settings) {
  settings.threads = compat::use_threads(static_cast<int>(settings.threads));
  const c10::Device device = compat::device(settings.device);
  const Signature result = signature({.device = device,
                                      .threads = static_cast<int>(settings.threads),
                                      .batch = static_cast<std::size_t>(settings.batch)});
  const auto hex = [](std::uint64_t hash) { return fmt::format("{:016x}", hash); };
  if (!settings.json.empty()) {
    nlohmann::ordered_json json;
    json["signature"] = hex(result.hash);
    for (const SignaturePart& part : result.parts) json["parts"][part.name] = hex(part.hash);
    json["device"] = compat::device_name(device);
    write_file(settings.json, report::result_text(std::move(json), config::Fields(settings).all()));
  }
  if (settings.quiet) return;
  std::FILE* const out = report::for_people({settings.json});
  for (const SignaturePart& part : result.parts)
    fmt::print(out, "{}  {}\n", hex(part.hash), part.name);
  fmt::print(out, "{}  signature\n", hex(result.hash));
}

struct Bench {
  const char* name;
  const char* about;
  void (*run)(BenchSettings);
};

constexpr std::array kBenches{
    Bench{"signature",
          "a hash over all that is drawn: equal on all machines, devices and LibTorch versions",
          bench_signature},
};

void run(const BenchSettings& settings) {
  if (settings.name.empty()) {
    for (const Bench& bench : kBenches) fmt::print("{:<12} {}\n", bench.name, bench.about);
    fmt::print("\nmgdm bench NAME runs one of them.\n");
    return;
  }
  std::vector<std::string> names;
  for (const Bench& bench : kBenches) {
    if (settings.name == bench.name) return bench.run(settings);
    names.emplace_back(bench.name);
  }
  throw UsageError(fmt::format("there is no bench {}", in_quotes(settings.name)), joined_or(names),
                   did_you_mean(settings.name, names));
}

}  // namespace

cli::Command bench_command() {
  return cli::make_command<BenchSettings>(
      "bench", "Compare machines and builds; lists what there is",
      "  mgdm bench\n"
      "  mgdm bench signature\n"
      "  mgdm bench signature --device cuda --json signature.json\n",
      {"name"}, {}, run);
}

}  // namespace mgdm::workshop
