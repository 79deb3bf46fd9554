# The Python package, put together in <build>/python/opwright: the extension module _C over the core in
# lib/, and the package's own files as symlinks, so that an edit needs no build.

# Says why there is no package; when pip builds a wheel (SKBUILD), that is an error.
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
opwright_see_as(opwright_python ${OPWRIGHT_TOP_LAYER})
target_include_directories(
  opwright_python
  PRIVATE "${CMAKE_SOURCE_DIR}/python" "${OPWRIGHT_GENERATED_OPS}"
)
# Its headers are not ours to keep free of warnings.
get_target_property(nanobind_includes nanobind-static INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(
  opwright_python
  SYSTEM
  PRIVATE ${nanobind_includes} ${Python_INCLUDE_DIRS}
)
# Without it nanobind asks for the lock whenever a reference is counted.
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

# The package's files, by a symlink for each top-level entry of python/opwright.
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

# Into a wheel: the prefix of `cmake --install` is the package's folder there (pyproject.toml), and the
# package's own files are added by pip. Otherwise nothing of Python is installed.
if(SKBUILD)
  install(TARGETS opwright_python LIBRARY DESTINATION .)
  install(
    PROGRAMS "${CMAKE_CURRENT_LIST_DIR}/wheel_opwright_config.py"
    DESTINATION "${SKBUILD_SCRIPTS_DIR}"
    RENAME opwright-config
  )
endif()
