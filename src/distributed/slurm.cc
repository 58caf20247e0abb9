#include "distributed/slurm.h"

#include <cstdlib>

#include "base/text.h"

namespace mgdm::distributed {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::int64_t number(const char* name) { return parse_int(variable(name)).value_or(0); }

void set_unless_set(const char* name, const std::string& value) {
  if (!value.empty()) ::setenv(name, value.c_str(), /*overwrite=*/0);
}

// All processes of a job step get the same port, most other jobs another one.
std::int64_t port_of_job() {
  return 15000 + (number("SLURM_JOB_ID") + 101 * number("SLURM_STEP_ID")) % 10000;
}

}  // namespace

std::string first_host(std::string_view node_list) {
  std::string host;
  bool in_brackets = false, passed = false;  // the first number in the brackets is over
  for (const char c : node_list) {
    if (c == '[' || c == ']') {
      in_brackets = c == '[';
      passed = false;
    } else if (in_brackets) {
      passed = passed || c == '-' || c == ',';
      if (!passed) host += c;
    } else if (c == ',') {
      break;
    } else {
      host += c;
    }
  }
  return host;
}

void adopt_slurm_variables() {
  if (!variable("RANK").empty() || variable("SLURM_PROCID").empty() || number("SLURM_NTASKS") < 2)
    return;
  std::string nodes = variable("SLURM_STEP_NODELIST");
  if (nodes.empty()) nodes = variable("SLURM_JOB_NODELIST");
  if (nodes.empty()) nodes = variable("SLURM_NODELIST");
  set_unless_set("RANK", variable("SLURM_PROCID"));
  set_unless_set("WORLD_SIZE", variable("SLURM_NTASKS"));
  set_unless_set("LOCAL_RANK", variable("SLURM_LOCALID"));
  set_unless_set("MASTER_ADDR", first_host(nodes));
  set_unless_set("MASTER_PORT", std::to_string(port_of_job()));
}

}  // namespace mgdm::distributed
