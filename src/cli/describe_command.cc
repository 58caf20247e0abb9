#include <fmt/format.h>

#include "cli/command.h"
#include "cli/models.h"
#include "nn/checkpoint.h"

namespace mgdm::cli {
namespace {

struct DescribeSettings {
  std::string model;
  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder or a model's name");
  }
};

void run(const DescribeSettings& settings) {
  fmt::print("{}", nn::describe(find_model(settings.model)));
}

}  // namespace

Command describe_command() {
  return make_command<DescribeSettings>("describe", "Say what is in a checkpoint",
                                        "  mgdm describe runs/planning/checkpoint-4883\n",
                                        {"model"}, {"model"}, run);
}

}  // namespace mgdm::cli
