#include "workshop/workshop.h"

#include "compat/out_of_memory.h"
#include "workshop/losses.h"

namespace mgdm::workshop {

cli::Program program() {
  return {{train_command(), launch_command(), bench_command()},
          measure_losses,
          compat::is_out_of_memory};
}

}  // namespace mgdm::workshop
