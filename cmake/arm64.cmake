# A toolchain for arm64 on another machine: CONTRIBUTING.md says how to use it. MGDM_ARM64_ROOT is a folder
# with Debian's packages for arm64; what is built runs by emulation, unit tests of ctest too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MGDM_ARM64_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT ${MGDM_ARM64_ROOT})
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
endif()
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)  # for clang
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MGDM_ARM64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${MGDM_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${MGDM_ARM64_ROOT} -cpu max)
