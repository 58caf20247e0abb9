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

# mgdm_optional_library(name header library without) makes the target mgdm::name. If the library is
# installed, the target links it and defines MGDM_HAVE_NAME. If not, the build prints `without`, and
# the program reports an error when it needs the library.
function(mgdm_optional_library name header library without)
  string(TOUPPER ${name} NAME)
  add_library(mgdm_${name} INTERFACE)
  add_library(mgdm::${name} ALIAS mgdm_${name})
  find_path(MGDM_${NAME}_INCLUDE ${header})
  find_library(MGDM_${NAME}_LIBRARY ${library})
  if(MGDM_${NAME}_INCLUDE AND MGDM_${NAME}_LIBRARY)
    target_include_directories(mgdm_${name} SYSTEM INTERFACE $<BUILD_INTERFACE:${MGDM_${NAME}_INCLUDE}>)
    target_compile_definitions(mgdm_${name} INTERFACE $<BUILD_INTERFACE:MGDM_HAVE_${NAME}=1>)
    target_link_libraries(mgdm_${name} INTERFACE ${library})
  else()
    message(STATUS "${name} not found: ${without}")
  endif()
endfunction()
mgdm_optional_library(zlib zlib.h z "gzip files cannot be read or written")
mgdm_optional_library(zstd zstd.h zstd "zstd files cannot be read or written")
# CaDiCaL judges formulas of more than 20 variables.
mgdm_optional_library(cadical cadical.hpp cadical "formulas of more than 20 variables cannot be solved")
# PCRE2 takes texts apart as the tokenizers of language models do.
mgdm_optional_library(pcre2 pcre2.h pcre2-8 "tokenizers with regular expressions cannot be used")
# libedit edits lines and keeps their history where `mgdm solve` asks for puzzles.
mgdm_optional_library(edit editline/readline.h edit "the prompt of mgdm solve reads plain lines")

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
