#include "api/load_options.h"

#include "api/option_fields.h"
#include "base/cores.h"
#include "spec/model_card.h"

namespace mgdm::api {
namespace {

struct LoadSettings {
  std::string device = "auto", arithmetic = "auto";
  std::int64_t threads = 0, batch = 64;
  bool deterministic = false;

  void visit(config::Visitor& v) {
    v.field("device", device, "auto, cpu, cuda or cuda:N");
    v.field("threads", threads, kThreadsHelp, config::range(0, kMostThreads));
    v.field("batch", batch, "puzzles decoded at the same time", config::range(1, 1 << 20));
    v.field("arithmetic", arithmetic, "of products on a CPU",
            config::one_of(spec::arithmetic_choices()));
    v.field("deterministic", deterministic, "on a GPU, one puzzle at a time");
  }
};

}  // namespace

void check(const LoadOptions& options) {
  LoadSettings settings{options.device, options.arithmetic, options.threads,
                        static_cast<std::int64_t>(options.batch), options.deterministic};
  config::Fields fields(settings);
  check_all(fields);
}

LoadOptions load_options(std::string_view text, const std::string& models) {
  LoadSettings settings;
  config::Fields fields(settings);
  set_all(fields, text);
  // All members are named, because the default of `models` is for the compilers of our users.
  return {settings.device,
          static_cast<int>(settings.threads),
          static_cast<std::size_t>(settings.batch),
          models,
          settings.arithmetic,
          settings.deterministic};
}

}  // namespace mgdm::api
