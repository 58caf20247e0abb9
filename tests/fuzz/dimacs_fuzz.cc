#include "formats/dimacs.h"
#include "fuzz.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  if (text.starts_with('s') || text.starts_with('v')) {
    formats::read_solver_answer(text, "fuzz");
    return;
  }
  const formats::Cnf cnf = formats::read_dimacs(text, "fuzz");
  fuzz::require(formats::read_dimacs(formats::write_dimacs(cnf), "again") == cnf);
}
