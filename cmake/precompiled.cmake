# Headers that nearly every file includes are parsed once: the build takes half the time. Files
# include what they use all the same, and -DMGDM_PCH=OFF builds without.
option(MGDM_PCH "Precompile common headers" ON)

set(MGDM_COMMON_HEADERS <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# mgdm_precompile(TARGET MAKER [HEADERS...]): TARGET uses what MAKER made; the maker itself makes it.
function(mgdm_precompile target maker)
  if(NOT MGDM_PCH)
    return()
  endif()
  if(target STREQUAL maker)
    target_precompile_headers(${target} PRIVATE ${MGDM_COMMON_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${maker})
  endif()
endfunction()
