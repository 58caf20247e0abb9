#include "fuzz.h"
#include "spec/history.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  // Six digits of each number are written: what they say reads back as it is.
  const std::string line = spec::history_line(spec::parse_history_line(text));
  fuzz::require(spec::history_line(spec::parse_history_line(line)) == line);
}
