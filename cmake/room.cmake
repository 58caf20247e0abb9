# mgdm_room(NAME [EFFORT 0|1] [WITHIN room] DEPENDS rooms... LINKS libraries... HEADERS header_only_libraries...)
#
# A room is a folder, a library target and a namespace. Its sources are the .cc files below
# src/NAME; the ones named *_test.cc are its unit tests and become the program NAME_test.
# Users of an installed mgdm link LINKS too; HEADERS are needed only to build. EFFORT is for a room with
# nothing in it that takes time when it runs: how much it is optimised (-O0, -O1), which takes a third
# off its compilation. With sanitizers such rooms are not optimised at all. Where only the light program
# is built, a room WITHIN another is compiled with it, as one file and with its EFFORT: that takes a third
# off both. It is named before the other one.
function(mgdm_room name)
  cmake_parse_arguments(ROOM "" "EFFORT;WITHIN" "DEPENDS;LINKS;HEADERS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM ROOM_DEPENDS PREPEND mgdm_)
  list(TRANSFORM ROOM_HEADERS REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")

  if(ROOM_WITHIN AND MGDM_TOGETHER AND NOT MGDM_TESTS AND NOT MGDM_TORCH)
    add_library(mgdm_${name} INTERFACE)
    target_link_libraries(mgdm_${name} INTERFACE ${ROOM_DEPENDS} ${ROOM_LINKS} ${ROOM_HEADERS})
    set_property(GLOBAL APPEND PROPERTY mgdm_within_${ROOM_WITHIN} ${sources})
    return()
  endif()
  get_property(within GLOBAL PROPERTY mgdm_within_${name})
  if(NOT TARGET mgdm_${name})
    add_library(mgdm_${name} STATIC)
  endif()
  target_sources(mgdm_${name} PRIVATE ${sources} ${within})
  target_include_directories(mgdm_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(mgdm_${name}
    PUBLIC ${ROOM_DEPENDS} ${ROOM_LINKS} ${ROOM_HEADERS}
    PRIVATE $<BUILD_INTERFACE:mgdm_compile_options>)
  # Above the torch line base makes the precompiled headers, and config for rooms that are not optimised
  # (they have to agree in that); below the line compat makes them.
  set(maker base)
  set(headers)
  if(TARGET mgdm_compat)
    set(maker compat)
    set(headers ${MGDM_TORCH_HEADERS})
  endif()
  set(tests_maker ${maker})
  set(tests_headers ${headers})
  if(DEFINED ROOM_EFFORT AND MGDM_SANITIZE)
    set(ROOM_EFFORT 0)
  endif()
  if(DEFINED ROOM_EFFORT AND (MGDM_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Release"))
    target_compile_options(mgdm_${name} PRIVATE -O${ROOM_EFFORT})
    if(ROOM_EFFORT EQUAL 0)
      set(maker config)
      set(headers ${MGDM_COLD_HEADERS})
    endif()
  endif()
  mgdm_precompile(mgdm_${name} mgdm_${maker} ${headers})
  mgdm_together(mgdm_${name} 0)

  if(MGDM_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE mgdm_${name} GTest::gtest_main mgdm_compile_options)
    target_compile_options(${name}_test PRIVATE ${MGDM_TEST_OPTIONS})
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)  # for tests/support
    mgdm_precompile(${name}_test ${tests_maker}_test ${tests_headers} <gtest/gtest.h>)
    mgdm_together(${name}_test 10)
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
