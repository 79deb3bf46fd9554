# `cmake --install` installs the core library, the public headers, opwright-config, and a CMake
# package with the targets
#   opwright::headers    for operator binaries: the headers and C++20, no library
#   opwright::compat     the same, with headers under PyTorch's names
#   opwright::opwright   the core, for programs that host operators
# and the functions opwright_add_operators and opwright_declare. The same names work inside this
# build.
#
# A wheel contains all of it in the package's folder, with the same layout on every system.

if(SKBUILD)
  set(CMAKE_INSTALL_LIBDIR lib)
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/opwright")

add_library(opwright_headers INTERFACE)
add_library(opwright::headers ALIAS opwright_headers)
target_compile_features(opwright_headers INTERFACE cxx_std_20)
target_include_directories(
  opwright_headers
  INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${OPWRIGHT_GENERATED_INCLUDE}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
)
add_dependencies(opwright_headers generate_ops)

add_library(opwright_compat INTERFACE)
add_library(opwright::compat ALIAS opwright_compat)
target_link_libraries(opwright_compat INTERFACE opwright_headers)
target_include_directories(
  opwright_compat
  INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include/opwright/compat>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/opwright/compat>"
)

set_target_properties(opwright_headers PROPERTIES EXPORT_NAME headers)
set_target_properties(opwright_compat PROPERTIES EXPORT_NAME compat)
set(exported opwright_headers opwright_compat)

if(TARGET opwright)
  add_library(opwright::opwright ALIAS opwright)
  # Programs compile the headers in core mode (include/opwright/visibility.h).
  target_compile_definitions(opwright INTERFACE OPWRIGHT_CORE)
  target_link_libraries(opwright INTERFACE opwright_headers)
  list(APPEND exported opwright)
endif()

install(TARGETS ${exported} EXPORT opwrightTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT opwrightTargets NAMESPACE opwright:: DESTINATION "${package_folder}")
install(
  DIRECTORY "${CMAKE_SOURCE_DIR}/include/opwright" "${OPWRIGHT_GENERATED_INCLUDE}/opwright"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
)

# The generator of opwright_declare; in a wheel it is part of the Python package.
if(SKBUILD)
  set(OPWRIGHT_GENERATOR_FOLDER _generator)
else()
  set(OPWRIGHT_GENERATOR_FOLDER "${CMAKE_INSTALL_DATADIR}/opwright")
  install(
    DIRECTORY "${OPWRIGHT_GENERATOR}/generate_ops"
    DESTINATION "${OPWRIGHT_GENERATOR_FOLDER}"
    FILES_MATCHING
    PATTERN "*.py"
    PATTERN __pycache__ EXCLUDE
  )
endif()

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/opwrightConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/package/opwrightConfig.cmake"
  INSTALL_DESTINATION "${package_folder}"
  PATH_VARS OPWRIGHT_GENERATOR_FOLDER
)
# Before 1.0, minor versions may be incompatible.
write_basic_package_version_file(
  "${CMAKE_BINARY_DIR}/package/opwrightConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
)
install(
  FILES
    "${CMAKE_BINARY_DIR}/package/opwrightConfig.cmake"
    "${CMAKE_BINARY_DIR}/package/opwrightConfigVersion.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/add_operators.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/declare.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/portable_exports.map"
  DESTINATION "${package_folder}"
)

# The script locates its prefix from its own path, so it contains only relative paths.
file(
  RELATIVE_PATH
  from_bin_to_include
  "${CMAKE_INSTALL_FULL_BINDIR}"
  "${CMAKE_INSTALL_FULL_INCLUDEDIR}"
)
file(RELATIVE_PATH from_bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
configure_file(
  "${CMAKE_SOURCE_DIR}/tools/opwright-config.in"
  "${CMAKE_BINARY_DIR}/package/opwright-config"
  @ONLY
)
install(
  PROGRAMS "${CMAKE_BINARY_DIR}/package/opwright-config"
  DESTINATION "${CMAKE_INSTALL_BINDIR}"
)
