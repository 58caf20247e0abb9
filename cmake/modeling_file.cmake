# `mgdm export --transformers` writes src/model_files/modeling_mgdm.py, which is in the program as text.
set(python ${PROJECT_SOURCE_DIR}/src/model_files/modeling_mgdm.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${python})
file(READ ${python} modeling_text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/modeling_text.cc CONTENT
  "#include \"model_files/modeling_file.h\"

std::string_view mgdm::model_files::modeling_text() {
  return R\"PYTHON(@modeling_text@)PYTHON\";
}
" @ONLY)
target_sources(mgdm_model_files PRIVATE ${PROJECT_BINARY_DIR}/generated/modeling_text.cc)
