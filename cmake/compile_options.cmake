# Strict for us, harmless for users: all warnings always, as errors only with MGDM_STRICT.
add_library(mgdm_compile_options INTERFACE)
target_compile_options(mgdm_compile_options INTERFACE -Wall -Wextra -Wshadow -Wconversion)
if(MGDM_STRICT)
  target_compile_options(mgdm_compile_options INTERFACE -Werror)
endif()

if(MGDM_SANITIZE)
  add_compile_options(-fsanitize=${MGDM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MGDM_SANITIZE})
endif()
