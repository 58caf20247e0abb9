# `cmake --install` and find_package(mgdm):
#
#   mgdm::mgdm      the library behind mgdm/mgdm.h, static; nothing of LibTorch
#   mgdm::shared    libmgdm.so, the library behind mgdm/mgdm.h and mgdm/mgdm_c.h, for C++ and C
#   mgdm::training  the half on LibTorch
#
# pkg-config's `mgdm`, which is mgdm::shared; the programs, models, recipes, the licence.
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
foreach(library mgdm_library mgdm_shared)
  target_compile_definitions(${library} INTERFACE
    $<INSTALL_INTERFACE:MGDM_INSTALLED_MODELS="$<INSTALL_PREFIX>/${models_dir}">)
endforeach()

# Targets that were not built are left out, with a line that says so: ./mgdm builds the program alone.
function(mgdm_install_program name)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:${name}>\")
      message(STATUS \"Not installed, since it was not built: ${name}\")
    endif()")
  install(PROGRAMS $<TARGET_FILE:${name}> DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endfunction()
mgdm_install_program(mgdm)
if(MGDM_TORCH)
  mgdm_install_program(mgdm-train)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${models_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mgdm/recipes)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
add_subdirectory(cmake/library)
