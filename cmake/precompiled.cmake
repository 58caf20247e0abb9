# Headers that nearly every file includes are parsed once: the build takes half the time. Files
# include what they use all the same, and -DMGDM_PCH=OFF builds without.
option(MGDM_PCH "Precompile common headers" ON)

set(MGDM_COMMON_HEADERS <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# Rooms that are not optimised read and write JSON, most of them.
set(MGDM_COLD_HEADERS <nlohmann/json.hpp>)

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

# Most of the time goes into headers and what they instantiate: the files of a room are compiled as if
# they were one, and its tests ten at a time. A file's own names must therefore differ from its
# neighbours'.
option(MGDM_TOGETHER "Compile the files of a room together" ON)

# mgdm_together(TARGET FILES): at most so many files of the target at a time, 0 for all.
function(mgdm_together target files)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${MGDM_TOGETHER} UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
