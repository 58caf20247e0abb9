#include "base/version.h"

#include "revision.h"  // written by cmake/revision.cmake

namespace mgdm {

const char* version() { return MGDM_VERSION; }
const char* git_revision() { return MGDM_REVISION; }

}  // namespace mgdm
