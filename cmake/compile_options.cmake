# Strict for us, harmless for users: all warnings always, as errors only with MGDM_STRICT.
add_library(mgdm_compile_options INTERFACE)
target_compile_options(mgdm_compile_options INTERFACE -Wall -Wextra -Wshadow -Wconversion)
if(MGDM_STRICT)
  target_compile_options(mgdm_compile_options INTERFACE -Werror)
endif()

# g++ looks for memory to give back from 128 MB on, at the cost of a fifth of its time.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)

# For arm64, not for x86-64, g++ orders instructions before it has given them registers: loads move so
# far ahead of their use that the sums of a tile fall out of the registers, and products are half as fast.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-schedule-insns>)

# Test files are compiled more often than run.
set(MGDM_TEST_OPTIONS -O0)

if(MGDM_SANITIZE)
  add_compile_options(-fsanitize=${MGDM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MGDM_SANITIZE})
endif()

if(MGDM_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage counters, also in the rooms
endif()
