# Writes OUT with the version and git revision, and touches it only when they changed. The variable
# MGDM_REVISION names it where the sources came without their repository.
set(revision "$ENV{MGDM_REVISION}")
if(NOT revision)
  execute_process(COMMAND git describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT revision)
  set(revision "unknown")
endif()
set(text "#pragma once\n#define MGDM_VERSION \"${VERSION}\"\n#define MGDM_REVISION \"${revision}\"\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUT} "${text}")
endif()
