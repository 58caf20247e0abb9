#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "inference/models.h"
#include "spec/describe.h"

namespace mgdm::cli {
namespace {

struct DescribeSettings {
  std::string model;
  bool quiet = false;
  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder or a model's name");
    v.field("quiet", quiet, "only check that it can be read");
  }
};

void run_describe(const DescribeSettings& settings) {
  const std::string text = spec::describe(inference::find_model(settings.model));
  if (!settings.quiet) fmt::print("{}", printable(text, "\n"));
}

}  // namespace

Command describe_command() {
  return make_command<DescribeSettings>("describe", "Say what is in a checkpoint",
                                        "  mgdm describe runs/planning/checkpoint-4883\n",
                                        {"model"}, {"model"}, run_describe);
}

}  // namespace mgdm::cli
