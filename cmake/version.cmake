# The git revision is part of every result, so it is looked up at each build, not only at configure.
add_custom_target(mgdm_revision
  COMMAND ${CMAKE_COMMAND} -DOUT=${PROJECT_BINARY_DIR}/generated/revision.h
          -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/write_revision.cmake
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/revision.h
  COMMENT "")
add_dependencies(mgdm_base mgdm_revision)
target_include_directories(mgdm_base PRIVATE ${PROJECT_BINARY_DIR}/generated)
