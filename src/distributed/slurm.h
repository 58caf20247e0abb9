// Slurm's variables for the processes of one job, read as torchrun's.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::distributed {

// The first host of Slurm's compressed list: "gpu[07-09,12],login1" gives "gpu07".
std::string first_host(std::string_view node_list);

// Where `srun` started several processes and RANK is absent, sets RANK, WORLD_SIZE, LOCAL_RANK,
// MASTER_ADDR and MASTER_PORT by Slurm's variables. Variables that the user has set stay.
void adopt_slurm_variables();

}  // namespace mgdm::distributed
