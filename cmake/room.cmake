# mgdm_room(NAME [COLD] DEPENDS rooms... LINKS libraries... HEADERS header_only_libraries...)
#
# A room is a folder, a library target and a namespace. Its sources are the .cc files below
# src/NAME; the ones named *_test.cc are its unit tests and become the program NAME_test.
# Users of an installed mgdm link LINKS too; HEADERS are needed only to build. A COLD room has nothing
# that takes time when it runs: it is optimised less, which takes a quarter off its compilation, and
# with sanitizers not at all, which takes half.
function(mgdm_room name)
  cmake_parse_arguments(ROOM "COLD" "" "DEPENDS;LINKS;HEADERS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM ROOM_DEPENDS PREPEND mgdm_)
  list(TRANSFORM ROOM_HEADERS REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")

  add_library(mgdm_${name} STATIC ${sources})
  target_include_directories(mgdm_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(mgdm_${name}
    PUBLIC ${ROOM_DEPENDS} ${ROOM_LINKS} ${ROOM_HEADERS}
    PRIVATE $<BUILD_INTERFACE:mgdm_compile_options>)
  if(ROOM_COLD AND MGDM_SANITIZE)
    target_compile_options(mgdm_${name} PRIVATE -O0)
  elseif(ROOM_COLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(mgdm_${name} PRIVATE -O1)
  endif()
  # Above the torch line base makes the precompiled headers, below it compat.
  set(maker base)
  set(headers)
  if(TARGET mgdm_compat)
    set(maker compat)
    set(headers ${MGDM_TORCH_HEADERS})
  endif()
  if(NOT (ROOM_COLD AND MGDM_SANITIZE))  # they were made with another -O
    mgdm_precompile(mgdm_${name} mgdm_${maker} ${headers})
  endif()
  mgdm_together(mgdm_${name})

  if(MGDM_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE mgdm_${name} GTest::gtest_main mgdm_compile_options)
    target_compile_options(${name}_test PRIVATE ${MGDM_TEST_OPTIONS})
    mgdm_precompile(${name}_test ${maker}_test ${headers} <gtest/gtest.h>)
    mgdm_together(${name}_test)
    # A process takes half a second to load LibTorch, longer than most tests run: a room that links it
    # (compat and those after it) is one test of ctest, which names what failed in its output.
    if(TARGET mgdm_compat)
      add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
      set_tests_properties(${name} PROPERTIES LABELS unit)
    else()
      gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                           PROPERTIES LABELS unit)
    endif()
    add_dependencies(unit_tests ${name}_test)
  endif()
endfunction()
