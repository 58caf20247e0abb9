# `cmake --install` and find_package(mgdm): the program and its models, the library behind
# mgdm/mgdm.h, the licence.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(mgdm_library INTERFACE)
set_target_properties(mgdm_library PROPERTIES EXPORT_NAME mgdm)
target_include_directories(mgdm_api PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_include_directories(mgdm_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(mgdm_library INTERFACE mgdm_api)
target_compile_features(mgdm_library INTERFACE cxx_std_20)

if(TARGET mgdm)
  install(TARGETS mgdm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/mgdm)
endif()
install(TARGETS mgdm_library mgdm_api mgdm_tasks mgdm_formats mgdm_base mgdm_cadical
  EXPORT mgdm_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/mgdm/mgdm.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mgdm)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mgdm)
install(EXPORT mgdm_targets NAMESPACE mgdm:: FILE mgdm_targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mgdm-config.cmake.in
  ${PROJECT_BINARY_DIR}/mgdm-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mgdm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mgdm-config.cmake ${PROJECT_BINARY_DIR}/mgdm-config-version.cmake
  DESTINATION ${package_dir})
