# find_package(mgdm COMPONENTS training): mgdm::training, the half on LibTorch behind mgdm/training.h.
# It names the LibTorch that it was built with.
if(NOT MGDM_TORCH)
  return()
endif()
add_library(mgdm_training_library INTERFACE)
set_target_properties(mgdm_training_library PROPERTIES EXPORT_NAME training)
target_link_libraries(mgdm_training_library INTERFACE mgdm_torch_commands mgdm_library)

set(training_targets mgdm_training_library mgdm_torch_commands mgdm_engine mgdm_training mgdm_objectives
  mgdm_nn mgdm_ops mgdm_distributed mgdm_compat mgdm_torch mgdm_cli mgdm_reproduction
  mgdm_prompting mgdm_httplib mgdm_evaluation)
if(MGDM_CUDA)
  list(APPEND training_targets mgdm_cuda_kernels mgdm_hopper_kernels)
endif()
install(TARGETS ${training_targets} EXPORT mgdm_training_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT mgdm_training_targets NAMESPACE mgdm:: FILE mgdm_training_targets.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/include/mgdm/training.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mgdm)
