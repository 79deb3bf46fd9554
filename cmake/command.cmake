# The command `opwright` in <build>/bin, built from command/*.cpp and the core. It may include
# every layer. Requires from_bin_to_lib of install.cmake.

if(NOT TARGET opwright)
  return()
endif()

file(GLOB command_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/command/*.cpp")
add_executable(opwright_command ${command_sources})
opwright_see_as(opwright_command core)
opwright_parse_once(opwright_command)
target_include_directories(opwright_command PRIVATE "${CMAKE_SOURCE_DIR}")
target_link_libraries(opwright_command PRIVATE opwright)
set_target_properties(
  opwright_command
  PROPERTIES
    OUTPUT_NAME opwright
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin"
    BUILD_RPATH "$ORIGIN/.."
    INSTALL_RPATH "$ORIGIN/${from_bin_to_lib}"
)
install(TARGETS opwright_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# The package contains it as bin/opwright; a wheel also installs a script `opwright` into the
# environment.
if(NOT TARGET python)
  return()
endif()
file(MAKE_DIRECTORY "${OPWRIGHT_PYTHON_PACKAGE}/bin")
file(
  CREATE_LINK "${CMAKE_BINARY_DIR}/bin/opwright" "${OPWRIGHT_PYTHON_PACKAGE}/bin/opwright"
  SYMBOLIC
)
add_dependencies(python opwright_command)
if(SKBUILD)
  install(
    PROGRAMS "${CMAKE_CURRENT_LIST_DIR}/wheel_opwright.py"
    DESTINATION "${SKBUILD_SCRIPTS_DIR}"
    RENAME opwright
  )
endif()
