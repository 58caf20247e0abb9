// The same bytes as a TOML file and as a key=value override.
#include "config/settings.h"
#include "fuzz.h"

namespace {

struct Settings {
  bool flag = false;
  std::int64_t steps = 20;
  double rate = 0.5;
  std::string name = "x";
  std::vector<std::string> list;
  void visit(mgdm::config::Visitor& v) {
    v.field("flag", flag, "");
    v.field("steps", steps, "", mgdm::config::range(1, 1000));
    v.field("rate", rate, "", mgdm::config::at_least(0));
    v.field("name", name, "");
    v.field("list", list, "");
  }
};

template <class Action>
void ignore_errors(Action&& action) {
  try {
    action();
  } catch (const mgdm::Error&) {
  }
}

}  // namespace

MGDM_FUZZ(text) {
  using namespace mgdm;
  Settings settings;
  config::Fields fields(settings);
  ignore_errors([&] { fields.read_toml(text, "fuzz.toml"); });
  ignore_errors([&] { fields.set(text); });
  fuzz::require(settings.steps >= 1 && settings.steps <= 1000 && settings.rate >= 0);
  Settings again;
  config::Fields copy(again);
  copy.read_toml(fields.dump(), "dump.toml");
  fuzz::require(copy.differences(fields).empty());
}
