# Headers that nearly every file includes are parsed once: the build takes half the time. Files
# include what they use all the same, and -DMGDM_PCH=OFF builds without.
option(MGDM_PCH "Precompile common headers" ON)

set(MGDM_COMMON_HEADERS <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

set(MGDM_TORCH_HEADERS <ATen/TensorOperators.h> <ATen/core/Tensor.h> <ATen/core/grad_mode.h>)

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

# Most of the time goes into headers and what they instantiate: files of one target are compiled some
# at a time, as if they were one. A file's own names must therefore differ from its neighbours'.
option(MGDM_TOGETHER "Compile the files of a room some at a time" ON)

function(mgdm_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MGDM_TOGETHER} UNITY_BUILD_BATCH_SIZE 10)
endfunction()
