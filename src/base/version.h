#pragma once

namespace mgdm {

// "0.1.0".
const char* version();

// What `git describe` said of the source tree: part of every result.
const char* git_revision();

}  // namespace mgdm
