# libmgdm.so: both interfaces (mgdm/mgdm.h, mgdm/mgdm_c.h) with all that stands behind them. It shows
# their names and nothing else, so that it minds no other C++ in the process.
include(GNUInstallDirs)
set(exported ${PROJECT_SOURCE_DIR}/src/api/exported_names.map)
add_library(mgdm_shared SHARED $<TARGET_OBJECTS:mgdm_api>)
set_target_properties(mgdm_shared PROPERTIES OUTPUT_NAME mgdm EXPORT_NAME shared
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINKER_LANGUAGE CXX LINK_DEPENDS ${exported})
target_include_directories(mgdm_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(mgdm_shared PRIVATE mgdm_api)
target_compile_features(mgdm_shared INTERFACE cxx_std_17)
target_link_options(mgdm_shared PRIVATE -Wl,--version-script=${exported})
add_library(mgdm::shared ALIAS mgdm_shared)  # for add_subdirectory()

# It finds the installed models beside itself, wherever it was put.
file(RELATIVE_PATH models_from_library ${CMAKE_INSTALL_FULL_LIBDIR}
  ${CMAKE_INSTALL_FULL_DATADIR}/mgdm/models)
set_source_files_properties(src/api/c_interface.cc PROPERTIES
  COMPILE_DEFINITIONS MGDM_MODELS_FROM_LIBRARY="${models_from_library}")
