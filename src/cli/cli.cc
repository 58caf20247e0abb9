#include "cli/cli.h"

namespace mgdm::cli {

int run(int, char**) { return 0; }

}  // namespace mgdm::cli
