# `cmake --install` and find_package(mgdm):
#
#   mgdm::mgdm      the library behind mgdm/mgdm.h, static; nothing of LibTorch
#   mgdm::shared    libmgdm.so, the library behind mgdm/mgdm_c.h, for C and other languages
#   mgdm::training  the half on LibTorch: install_training.cmake
#
# pkg-config's `mgdm`, which is mgdm::shared, and the models, the program where it was built, the licence.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mgdm)
set(models_dir ${CMAKE_INSTALL_DATADIR}/mgdm/models)

add_library(mgdm_library INTERFACE)
set_target_properties(mgdm_library PROPERTIES EXPORT_NAME mgdm)
add_library(mgdm::mgdm ALIAS mgdm_library)  # for add_subdirectory()
target_include_directories(mgdm_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(mgdm_library INTERFACE mgdm_api)
target_compile_features(mgdm_library INTERFACE cxx_std_17)
# A user's program lies anywhere: it is told where the models are.
target_compile_definitions(mgdm_library INTERFACE
  $<INSTALL_INTERFACE:MGDM_INSTALLED_MODELS="$<INSTALL_PREFIX>/${models_dir}">)

install(TARGETS mgdm_library mgdm_api mgdm_inference mgdm_decoding mgdm_model_files mgdm_spec mgdm_data mgdm_tasks
  mgdm_formats mgdm_tokenizers mgdm_config mgdm_base mgdm_cadical mgdm_pcre2
  EXPORT mgdm_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(MGDM_HIGHWAY)
  install(TARGETS mgdm_runtime mgdm_vectors EXPORT mgdm_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS mgdm_shared EXPORT mgdm_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT mgdm_targets NAMESPACE mgdm:: FILE mgdm_targets.cmake DESTINATION ${package_dir})

include(install_training)

if(TARGET mgdm)
  install(TARGETS mgdm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
else()
  install(PROGRAMS $<TARGET_FILE:mgdm-light> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME mgdm)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${models_dir})
install(FILES ${PROJECT_SOURCE_DIR}/include/mgdm/mgdm.h ${PROJECT_SOURCE_DIR}/include/mgdm/mgdm_c.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mgdm)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mgdm-config.cmake.in
  ${PROJECT_BINARY_DIR}/mgdm-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mgdm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mgdm-config.cmake ${PROJECT_BINARY_DIR}/mgdm-config-version.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/mgdm.pc.in ${PROJECT_BINARY_DIR}/mgdm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mgdm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
