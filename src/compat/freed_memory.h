// The allocator's habits.
#pragma once

namespace mgdm::compat {

// From now on the process keeps the memory it frees. A training step frees and asks for the same
// tensors as the one before; glibc would give their pages back and have them zeroed again, 3% of
// the tiny model's step.
void keep_freed_memory();

}  // namespace mgdm::compat
