# opwright_add_operators: an operator binary from sources. Used by this build and by installed
# packages alike, so it needs nothing but the target opwright::headers.

# What a portable binary shows: the list of its operators and, if it is a Python module too, that.
set(OPWRIGHT_PORTABLE_EXPORTS "${CMAKE_CURRENT_LIST_DIR}/portable_exports.map")

# opwright_add_operators(<target> SOURCES <file>... [PORTABLE])
#
# The target is a module library lib<target>.so that links nothing of Opwright and runs in every host.
# Other libraries, include folders and options are added to the target as to any other. Without a
# build type it is compiled with -O2.
#
# PORTABLE links the C++ runtime in and hides it, so that the binary needs no libstdc++ where it runs
# and meets none that the host brought. It still needs the C library of the build machine or a newer
# one: build on the oldest that you support.
function(opwright_add_operators target)
  cmake_parse_arguments(PARSE_ARGV 1 operators "PORTABLE" "" "SOURCES")
  if(operators_UNPARSED_ARGUMENTS)
    message(
      FATAL_ERROR
      "opwright_add_operators(${target}): unknown arguments ${operators_UNPARSED_ARGUMENTS}; sources stand after SOURCES"
    )
  endif()
  if(NOT operators_SOURCES)
    message(FATAL_ERROR "opwright_add_operators(${target}): SOURCES names no file")
  endif()

  add_library(${target} MODULE ${operators_SOURCES})
  target_link_libraries(${target} PRIVATE opwright::headers)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:>:-O2>")
  set_target_properties(${target} PROPERTIES PREFIX lib POSITION_INDEPENDENT_CODE ON)
  # A name that neither the binary nor the C and C++ runtimes have is an error here, not at load.
  target_link_options(${target} PRIVATE LINKER:--no-undefined)

  if(operators_PORTABLE)
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    target_link_options(
      ${target}
      PRIVATE
        -static-libstdc++
        -static-libgcc
        LINKER:--gc-sections
        "LINKER:--version-script=${OPWRIGHT_PORTABLE_EXPORTS}"
    )
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${OPWRIGHT_PORTABLE_EXPORTS}")
  endif()
endfunction()
