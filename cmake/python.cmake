# Assembles the Python package in <build>/python/opwright: the extension module _C, the core in
# lib/, and symlinks to the package's Python files, so that editing them needs no build.

# Reports why the package is not built; in a wheel build (SKBUILD) this is an error.
macro(opwright_leave_python_out reason)
  if(SKBUILD)
    message(FATAL_ERROR "The Python package cannot be built: ${reason}")
  endif()
  message(STATUS "The Python package is not built: ${reason}")
  return()
endmacro()

if(NOT TARGET opwright)
  opwright_leave_python_out("this build has no core library to load")
endif()
set(Python_EXECUTABLE "${Python3_EXECUTABLE}")
find_package(Python 3.11 COMPONENTS Interpreter Development.Module)
if(NOT Python_FOUND)
  opwright_leave_python_out("no headers of Python 3.11 or newer (Debian: python3-dev)")
endif()
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_folder
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
)
find_package(nanobind CONFIG PATHS "${nanobind_folder}" NO_DEFAULT_PATH)
if(NOT nanobind_FOUND)
  opwright_leave_python_out("${Python_EXECUTABLE} has no nanobind (pip install nanobind)")
endif()

set(OPWRIGHT_PYTHON_PACKAGE "${CMAKE_BINARY_DIR}/python/opwright")

# The folders of the bindings, lowest first: a file includes its own folder and lower ones (tools/check).
set(
  OPWRIGHT_BINDING_FOLDERS
  interpreter
  object
  tensor
  operator
  trace
  export
  onnx
  pytree
  autograd
  compile
  ge
  library
  opcheck
  device
  .
)
file(GLOB_RECURSE binding_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/python/bindings/*.cpp")
nanobind_add_module(opwright_python NB_STATIC NOMINSIZE ${binding_sources})
opwright_see_as(opwright_python core)
target_include_directories(
  opwright_python
  PRIVATE "${CMAKE_SOURCE_DIR}/python" "${OPWRIGHT_GENERATED_OPS}"
)
# System headers: we do not fix warnings in nanobind.
get_target_property(nanobind_includes nanobind-static INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(
  opwright_python
  SYSTEM
  PRIVATE ${nanobind_includes} ${Python_INCLUDE_DIRS}
)
# Without NDEBUG, nanobind checks that the GIL is held at every reference count change.
target_compile_definitions(opwright_python PRIVATE NDEBUG)
target_link_libraries(opwright_python PRIVATE opwright)
if(OPWRIGHT_PARSE_ONCE)
  opwright_precompile(
    opwright_python_headers
    FLAGS ${OPWRIGHT_FLAGS_speed} ${OPWRIGHT_HIDDEN}
    DEFINITIONS NDEBUG
    SYSTEM ${nanobind_includes} ${Python_INCLUDE_DIRS}
    HEADERS
      <Python.h>
      ${OPWRIGHT_COMMON_HEADERS}
      <nanobind/nanobind.h>
      <nanobind/stl/optional.h>
      <nanobind/stl/string.h>
      <nanobind/stl/string_view.h>
      <nanobind/stl/vector.h>
    LIBRARIES fmt::fmt-header-only
  )
  set_property(TARGET nanobind-static PROPERTY UNITY_BUILD ON)
endif()
opwright_parse_once(opwright_python HEADERS opwright_python_headers)
set_target_properties(
  opwright_python
  PROPERTIES
    OUTPUT_NAME _C
    LIBRARY_OUTPUT_DIRECTORY "${OPWRIGHT_PYTHON_PACKAGE}"
    BUILD_RPATH "$ORIGIN/lib"
    INSTALL_RPATH "$ORIGIN/lib"
)
target_compile_options(nanobind-static PRIVATE -w)
file(MAKE_DIRECTORY "${OPWRIGHT_PYTHON_PACKAGE}/lib")
file(
  CREATE_LINK "${CMAKE_BINARY_DIR}/libopwright.so" "${OPWRIGHT_PYTHON_PACKAGE}/lib/libopwright.so"
  SYMBOLIC
)

# Symlinks to the package's files, one for each top-level entry of python/opwright.
file(MAKE_DIRECTORY "${OPWRIGHT_PYTHON_PACKAGE}")
file(
  GLOB package_entries
  CONFIGURE_DEPENDS
  RELATIVE "${CMAKE_SOURCE_DIR}/python/opwright"
  "${CMAKE_SOURCE_DIR}/python/opwright/*"
)
list(REMOVE_ITEM package_entries __pycache__)
file(GLOB stale RELATIVE "${OPWRIGHT_PYTHON_PACKAGE}" "${OPWRIGHT_PYTHON_PACKAGE}/*")
foreach(entry IN LISTS stale)
  if(IS_SYMLINK "${OPWRIGHT_PYTHON_PACKAGE}/${entry}" AND NOT entry IN_LIST package_entries)
    file(REMOVE "${OPWRIGHT_PYTHON_PACKAGE}/${entry}")
  endif()
endforeach()
foreach(entry IN LISTS package_entries)
  if(NOT IS_SYMLINK "${OPWRIGHT_PYTHON_PACKAGE}/${entry}")
    file(
      CREATE_LINK
        "${CMAKE_SOURCE_DIR}/python/opwright/${entry}"
        "${OPWRIGHT_PYTHON_PACKAGE}/${entry}"
      SYMBOLIC
    )
  endif()
endforeach()

add_custom_target(python DEPENDS opwright_python)

# In a wheel, `cmake --install` installs into the package's folder (pyproject.toml), and
# scikit-build-core adds the package's Python files. Otherwise no Python files are installed.
if(SKBUILD)
  install(TARGETS opwright_python LIBRARY DESTINATION .)
  install(
    PROGRAMS "${CMAKE_CURRENT_LIST_DIR}/wheel_opwright_config.py"
    DESTINATION "${SKBUILD_SCRIPTS_DIR}"
    RENAME opwright-config
  )
endif()
