# The libraries we stand on, all from Debian packages (scripts/packages.txt), each behind one name of ours.
#
# A machine without network can build from the source tree and header-only libraries alone: put
# fmt, toml++, nlohmann and CLI11 headers into one folder and pass -DMGDM_HEADERS=FOLDER.
set(MGDM_HEADERS "" CACHE PATH "Folder with header-only copies of libraries that are not installed")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# mgdm_header_library(name header [definitions...]): mgdm::name from an installed or a carried header.
function(mgdm_header_library name header)
  find_path(MGDM_${name}_INCLUDE ${header} HINTS ${MGDM_HEADERS})
  if(NOT MGDM_${name}_INCLUDE)
    message(FATAL_ERROR "${header} not found: install the packages in scripts/packages.txt "
                        "(./mgdm does it), or pass -DMGDM_HEADERS=FOLDER")
  endif()
  add_library(mgdm::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(mgdm::${name} SYSTEM INTERFACE ${MGDM_${name}_INCLUDE})
  target_compile_definitions(mgdm::${name} INTERFACE ${ARGN})
endfunction()

find_package(fmt QUIET)
if(fmt_FOUND)
  add_library(mgdm::fmt ALIAS fmt::fmt)
else()
  mgdm_header_library(fmt fmt/format.h FMT_HEADER_ONLY=1)
endif()
mgdm_header_library(json nlohmann/json.hpp)
mgdm_header_library(tomlplusplus toml++/toml.h)
mgdm_header_library(cli11 CLI/CLI.hpp)

# CaDiCaL judges formulas of more than 20 variables. Without it they are an error that says so.
add_library(mgdm_cadical INTERFACE)
add_library(mgdm::cadical ALIAS mgdm_cadical)
find_path(MGDM_CADICAL_INCLUDE cadical.hpp)
find_library(MGDM_CADICAL_LIBRARY cadical)
if(MGDM_CADICAL_INCLUDE AND MGDM_CADICAL_LIBRARY)
  target_include_directories(mgdm_cadical SYSTEM INTERFACE $<BUILD_INTERFACE:${MGDM_CADICAL_INCLUDE}>)
  target_compile_definitions(mgdm_cadical INTERFACE $<BUILD_INTERFACE:MGDM_HAVE_CADICAL=1>)
  target_link_libraries(mgdm_cadical INTERFACE cadical)
else()
  message(STATUS "CaDiCaL not found: formulas of more than 20 variables cannot be solved")
endif()

# PCRE2 takes texts apart as the tokenizers of language models do. Without it tokenizers that have
# regular expressions are an error that says so.
add_library(mgdm_pcre2 INTERFACE)
add_library(mgdm::pcre2 ALIAS mgdm_pcre2)
find_path(MGDM_PCRE2_INCLUDE pcre2.h)
find_library(MGDM_PCRE2_LIBRARY pcre2-8)
if(MGDM_PCRE2_INCLUDE AND MGDM_PCRE2_LIBRARY)
  target_include_directories(mgdm_pcre2 SYSTEM INTERFACE $<BUILD_INTERFACE:${MGDM_PCRE2_INCLUDE}>)
  target_compile_definitions(mgdm_pcre2 INTERFACE $<BUILD_INTERFACE:MGDM_HAVE_PCRE2=1>)
  target_link_libraries(mgdm_pcre2 INTERFACE pcre2-8)
else()
  message(STATUS "PCRE2 not found: tokenizers with regular expressions cannot be used")
endif()

# cpp-httplib asks endpoints (the room prompting). Debian's is a compiled library, which its users must
# build with the same definitions: pkg-config knows them. Without it `mgdm prompt` says so.
add_library(mgdm_httplib INTERFACE)
add_library(mgdm::httplib ALIAS mgdm_httplib)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(MGDM_HTTPLIB QUIET cpp-httplib)
endif()
if(MGDM_HTTPLIB_FOUND)
  target_include_directories(mgdm_httplib SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${MGDM_HTTPLIB_INCLUDE_DIRS}>")
  target_compile_options(mgdm_httplib INTERFACE "$<BUILD_INTERFACE:${MGDM_HTTPLIB_CFLAGS_OTHER}>")
  target_compile_definitions(mgdm_httplib INTERFACE $<BUILD_INTERFACE:MGDM_HAVE_HTTPLIB=1>)
  target_link_libraries(mgdm_httplib INTERFACE ${MGDM_HTTPLIB_LINK_LIBRARIES})
else()
  message(STATUS "cpp-httplib not found: mgdm prompt cannot ask an endpoint")
endif()

# Highway runs models on the CPU, and trains them there (the room vectors). A build from carried headers
# may lack it: then only an engine that the program registers itself, on LibTorch, runs models, and
# LibTorch's operations train.
find_package(hwy QUIET)
set(MGDM_HIGHWAY ${hwy_FOUND})
if(hwy_FOUND)
  add_library(mgdm::highway ALIAS hwy::hwy)
elseif(MGDM_HEADERS)
  message(STATUS "Highway not found: models are run and trained by LibTorch alone")
else()
  message(FATAL_ERROR "hwy/highway.h not found: install the packages in scripts/packages.txt "
                      "(./mgdm does it)")
endif()

if(MGDM_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
