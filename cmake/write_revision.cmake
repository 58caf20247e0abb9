# Writes OUT with the version and git revision, and touches it only when they changed. Where the
# sources came without their repository, the variable MGDM_REVISION may name it.
execute_process(COMMAND git describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision "$ENV{MGDM_REVISION}")
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
