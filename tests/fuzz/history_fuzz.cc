#include "fuzz.h"
#include "model_files/history.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  // Six digits of each number are written: what they say reads back as it is.
  const std::string line = model_files::history_line(model_files::parse_history_line(text));
  fuzz::require(model_files::history_line(model_files::parse_history_line(line)) == line);
}
