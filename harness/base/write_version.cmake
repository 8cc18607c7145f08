# Writes version.hpp if it has changed; runs at every build, because a commit changes no source.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit)
  set(VERSION "${NUMBER} (${commit})")
else()
  set(VERSION "${NUMBER}")
endif()
configure_file(${SOURCE}/harness/base/version.hpp.in ${OUTPUT} @ONLY)
