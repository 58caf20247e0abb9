# The kernels, where LibTorch has CUDA: src/ops/cuda/*.cu know nothing of LibTorch and are a library of
# their own, which the room links.
if(NOT MGDM_CUDA)
  return()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)
endif()
enable_language(CUDA)
# CMake 3.25 does not know how nvcc 13 is asked for C++20, and then silently does not ask.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
file(GLOB kernel_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/cuda/*.cu)
add_library(mgdm_cuda_kernels STATIC ${kernel_files})
set_target_properties(mgdm_cuda_kernels PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)
target_include_directories(mgdm_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
# Those in hopper/ use instructions that only that one generation has.
file(GLOB hopper_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/cuda/hopper/*.cu)
add_library(mgdm_hopper_kernels STATIC ${hopper_files})
set_target_properties(mgdm_hopper_kernels PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON
  CUDA_ARCHITECTURES 90a-real)
target_include_directories(mgdm_hopper_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(mgdm_hopper_kernels PUBLIC mgdm_cuda_kernels)
target_link_libraries(mgdm_ops PUBLIC mgdm_hopper_kernels)
