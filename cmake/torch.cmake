# LibTorch: Debian's libtorch-dev (1.13, CPU), or any newer one (2.x; with CUDA 2.4 or newer) found through
# CMAKE_PREFIX_PATH or the torch of the machine's python3. Its own TorchConfig.cmake is not used: in
# CUDA builds it changes compiler flags for the whole project.
option(MGDM_TORCH "Build the half of mgdm that needs LibTorch" ON)
if(NOT MGDM_TORCH)
  return()
endif()

find_program(MGDM_PYTHON python3)
set(torch_prefix "${CMAKE_PREFIX_PATH}")
if(MGDM_PYTHON AND NOT DEFINED CACHE{MGDM_TORCH_INCLUDE})
  execute_process(COMMAND ${MGDM_PYTHON} -c
    "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))"
    OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Debian's python3-torch holds no headers; a wheel does.
  if(EXISTS "${python_torch}/include/ATen")
    list(APPEND torch_prefix ${python_torch})
  endif()
endif()

find_path(MGDM_TORCH_INCLUDE ATen/core/Tensor.h HINTS ${torch_prefix} PATH_SUFFIXES include)
find_library(MGDM_TORCH_LIBRARY torch HINTS ${torch_prefix} PATH_SUFFIXES lib)
if(NOT MGDM_TORCH_INCLUDE OR NOT MGDM_TORCH_LIBRARY)
  message(FATAL_ERROR "LibTorch not found: install libtorch-dev, pass -DCMAKE_PREFIX_PATH=FOLDER, "
                      "or build only the tasks with -DMGDM_TORCH=OFF")
endif()
get_filename_component(torch_lib ${MGDM_TORCH_LIBRARY} DIRECTORY)

add_library(mgdm_torch INTERFACE)
add_library(mgdm::torch ALIAS mgdm_torch)
target_include_directories(mgdm_torch SYSTEM INTERFACE ${MGDM_TORCH_INCLUDE}
  ${MGDM_TORCH_INCLUDE}/torch/csrc/api/include)
# The wheels of LibTorch bring a fmt of their own, and what lies in /usr/include would be found after it.
if(TARGET fmt::fmt AND EXISTS ${MGDM_TORCH_INCLUDE}/fmt/format.h)
  get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT fmt_include STREQUAL MGDM_TORCH_INCLUDE)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/first)
    file(CREATE_LINK ${fmt_include}/fmt ${PROJECT_BINARY_DIR}/first/fmt SYMBOLIC)
    target_include_directories(mgdm_torch SYSTEM BEFORE INTERFACE
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/first>)
  endif()
endif()
foreach(name torch torch_cpu c10)
  target_link_libraries(mgdm_torch INTERFACE ${torch_lib}/lib${name}.so)
endforeach()
target_link_options(mgdm_torch INTERFACE -Wl,-rpath,${torch_lib})
# The wheels of LibTorch show an old std::filesystem of their own (pytorch issue 133437), and calling
# its remove_all crashes. The C++ library comes first in the search order, so that ours is found; by
# its path, because -lstdc++ may mean a static one.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6
  OUTPUT_VARIABLE compiler_stdcxx OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(IS_ABSOLUTE "${compiler_stdcxx}")
  set(MGDM_STDCXX ${compiler_stdcxx} CACHE FILEPATH "The shared C++ library")
endif()
find_library(MGDM_STDCXX libstdc++.so.6)
if(MGDM_STDCXX)
  target_link_options(mgdm_torch INTERFACE
    "SHELL:-Wl,--push-state,--no-as-needed ${MGDM_STDCXX} -Wl,--pop-state")
endif()

# A CUDA LibTorch: torch_cuda registers itself when loaded, so it is linked although nothing names it.
set(MGDM_CUDA OFF)
if(EXISTS ${torch_lib}/libtorch_cuda.so)
  set(MGDM_CUDA ON)
  find_package(CUDAToolkit REQUIRED)
  target_compile_definitions(mgdm_torch INTERFACE MGDM_CUDA=1)
  # Its own libraries (cuDNN, NCCL, ...) are found by torch_cuda at run time, not by our linker.
  target_link_options(mgdm_torch INTERFACE -Wl,--allow-shlib-undefined)
  target_link_libraries(mgdm_torch INTERFACE ${torch_lib}/libc10_cuda.so CUDA::cudart
    -Wl,--no-as-needed ${torch_lib}/libtorch_cuda.so -Wl,--as-needed)
  # Products are cuBLASLt's: of the one that torch_cuda loads, which in wheels lies beside LibTorch.
  set(cublas_name libcublasLt.so.${CUDAToolkit_VERSION_MAJOR})
  find_library(MGDM_CUBLASLT ${cublas_name} HINTS
    ${torch_lib}/../../nvidia/cu${CUDAToolkit_VERSION_MAJOR}/lib ${torch_lib}/../../nvidia/cublas/lib
    ${torch_lib} ${CUDAToolkit_LIBRARY_DIR} REQUIRED)
  target_link_libraries(mgdm_torch INTERFACE ${MGDM_CUBLASLT})
endif()

# One file shares loops between LibTorch's threads (compat/parallel.h). The flag goes to it alone: it
# would make the precompiled headers unusable elsewhere.
find_package(OpenMP COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/compat/parallel.cc PROPERTIES
    COMPILE_OPTIONS "${OpenMP_CXX_FLAGS}" SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(mgdm_torch INTERFACE ${OpenMP_CXX_LIBRARIES})
endif()
message(STATUS "LibTorch: ${torch_lib} (CUDA: ${MGDM_CUDA})")

# c10d's headers show a backend only where its macro is set and its library's headers are there: those
# that LibTorch was built with. Gloo's come with LibTorch or, in Debian, as libgloo-dev; NCCL's lie
# beside LibTorch where both are Python packages.
set(c10d_options)
set(MGDM_GLOO OFF)
if(EXISTS ${MGDM_TORCH_INCLUDE}/gloo/rendezvous/store.h)
  set(MGDM_GLOO ON)
  list(APPEND c10d_options -DUSE_C10D_GLOO)
else()
  message(STATUS "Gloo's headers not found: several processes cannot train on CPUs")
endif()
if(MGDM_CUDA)
  find_path(MGDM_NCCL_INCLUDE nccl.h HINTS ${torch_lib}/../../nvidia/nccl/include)
  if(MGDM_NCCL_INCLUDE)
    list(APPEND c10d_options -DUSE_C10D_NCCL -isystem ${MGDM_NCCL_INCLUDE})
  else()
    message(STATUS "nccl.h not found: several processes cannot train on GPUs")
  endif()
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/distributed/process_group.cc
  PROPERTIES COMPILE_OPTIONS "${c10d_options}")
