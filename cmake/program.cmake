# The program `mgdm`: src/main.cc over the room cli.

# The git revision is part of every result, so it is looked up at each build, not only at configure.
add_custom_target(mgdm_revision
  COMMAND ${CMAKE_COMMAND} -DOUT=${PROJECT_BINARY_DIR}/generated/revision.h
          -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/revision.cmake
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/revision.h
  COMMENT "")
add_dependencies(mgdm_base mgdm_revision)
target_include_directories(mgdm_base PRIVATE ${PROJECT_BINARY_DIR}/generated)

add_executable(mgdm ${PROJECT_SOURCE_DIR}/src/main.cc)
target_link_libraries(mgdm PRIVATE mgdm_cli mgdm_compile_options)
