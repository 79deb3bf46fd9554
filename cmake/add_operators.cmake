# opwright_add_operators: builds an operator binary from sources. Both this build and installed
# packages use it, so it depends only on the target opwright::headers.

# The exports of a portable binary: its list of operators and, if it is a Python module, PyInit_*.
set(OPWRIGHT_PORTABLE_EXPORTS "${CMAKE_CURRENT_LIST_DIR}/portable_exports.map")

# opwright_add_operators(<target> SOURCES <file>... [PORTABLE])
#
# The target is a module library lib<target>.so that does not link Opwright and runs in every host.
# Add other libraries, include folders and options as to any target. Without a build type it is
# compiled with -O2.
#
# PORTABLE links the C++ runtime statically and hides it: the binary needs no libstdc++ at run time
# and does not conflict with the host's. It still requires the C library of the build machine or a
# newer one, so build on the oldest system that you support.
function(opwright_add_operators target)
  cmake_parse_arguments(PARSE_ARGV 1 operators "PORTABLE" "" "SOURCES")
  if(operators_UNPARSED_ARGUMENTS)
    message(
      FATAL_ERROR
      "opwright_add_operators(${target}): unknown arguments ${operators_UNPARSED_ARGUMENTS}; list sources after SOURCES"
    )
  endif()
  if(NOT operators_SOURCES)
    message(FATAL_ERROR "opwright_add_operators(${target}): SOURCES names no file")
  endif()

  add_library(${target} MODULE ${operators_SOURCES})
  target_link_libraries(${target} PRIVATE opwright::headers)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:>:-O2>")
  set_target_properties(${target} PROPERTIES PREFIX lib POSITION_INDEPENDENT_CODE ON)
  # Undefined symbols are an error at link time instead of load time.
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
