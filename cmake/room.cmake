# mgdm_room(NAME DEPENDS rooms... LINKS libraries...)
#
# A room is a folder, a library target and a namespace. Its sources are the .cc files below
# src/NAME; the ones named *_test.cc are its unit tests and become the program NAME_test.
function(mgdm_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM ROOM_DEPENDS PREPEND mgdm_)

  add_library(mgdm_${name} STATIC ${sources})
  target_include_directories(mgdm_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                 $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(mgdm_${name} PUBLIC ${ROOM_DEPENDS}
                        PRIVATE $<BUILD_INTERFACE:mgdm_compile_options>)
  # Public to our own targets (their headers may name fmt), linked by users, seen by no one else.
  target_link_libraries(mgdm_${name} PUBLIC ${ROOM_LINKS})
  set_property(GLOBAL APPEND PROPERTY MGDM_ROOMS mgdm_${name})

  if(MGDM_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE mgdm_${name} GTest::gtest_main mgdm_compile_options)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
