# Precompiled headers and unity units. A plain build spends most of its time parsing the same
# headers for every source. Here targets with the same flags share precompiled headers, and the
# sources of a folder compile together in a few units.
#
# OPWRIGHT_PARSE_ONCE=OFF compiles every source alone, which shows whether each includes what it
# uses; `tools/check --clang` and `--tidy` use this form.

option(OPWRIGHT_PARSE_ONCE "Precompile headers and compile several sources as one unit" ON)

# The maximum size of a unit's sources, in bytes; such a unit compiles in some seconds.
set(OPWRIGHT_UNIT_BYTES 65536)
# Kernels compile more slowly: a loop is instantiated for each dtype and CPU level.
set(OPWRIGHT_KERNEL_UNIT_BYTES 12288)

# Adds the target `name` with precompiled HEADERS, for targets with the same FLAGS, DEFINITIONS and
# LIBRARIES.
function(opwright_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 headers "" "" "FLAGS;DEFINITIONS;HEADERS;LIBRARIES;SYSTEM")
  set(source "${CMAKE_BINARY_DIR}/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// ${name}: see cmake/parse_once.cmake.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_compile_options(${name} PRIVATE ${headers_FLAGS})
  target_compile_definitions(${name} PRIVATE OPWRIGHT_CORE ${headers_DEFINITIONS})
  target_include_directories(
    ${name}
    PRIVATE "${CMAKE_SOURCE_DIR}/include" "${OPWRIGHT_GENERATED_INCLUDE}"
  )
  target_include_directories(${name} SYSTEM PRIVATE ${headers_SYSTEM})
  target_link_libraries(${name} PRIVATE Threads::Threads ${headers_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${headers_HEADERS})
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    # With the old precompiled file in place, ccache would preprocess that file instead of the
    # headers, see no change in them, and return it again.
    set_target_properties(
      ${name}
      PROPERTIES
        CXX_COMPILER_LAUNCHER
          "sh;${CMAKE_SOURCE_DIR}/cmake/run_without_old_output;${CMAKE_CXX_COMPILER_LAUNCHER}"
    )
  endif()
  add_dependencies(${name} generate_ops)
endfunction()

# Headers that more than a tenth of the sources include.
set(
  OPWRIGHT_COMMON_HEADERS
  <algorithm>
  <array>
  <atomic>
  <cmath>
  <cstdint>
  <cstring>
  <functional>
  <limits>
  <memory>
  <mutex>
  <optional>
  <source_location>
  <span>
  <string>
  <string_view>
  <tuple>
  <unordered_map>
  <utility>
  <vector>
  <opwright/c_api.h>
  <opwright/error.h>
  <opwright/symint.h>
  <opwright/tensor.h>
  <opwright/value.h>
)
if(OPWRIGHT_PARSE_ONCE)
  foreach(level IN LISTS OPWRIGHT_LEVELS)
    opwright_precompile(
      opwright_${level}_headers
      FLAGS ${OPWRIGHT_FLAGS_${level}} ${OPWRIGHT_HIDDEN}
      HEADERS ${OPWRIGHT_COMMON_HEADERS}
      LIBRARIES fmt::fmt-header-only
    )
  endforeach()
  if(OPWRIGHT_TESTS)
    # For executables, whose sources CMake compiles with -fPIE.
    opwright_precompile(
      opwright_test_headers
      FLAGS ${OPWRIGHT_FLAGS_test} ${OPWRIGHT_HIDDEN} -fPIE
      HEADERS ${OPWRIGHT_COMMON_HEADERS} <gtest/gtest.h>
      LIBRARIES fmt::fmt-header-only GTest::gtest
    )
  endif()
  # Without OPWRIGHT_HIDDEN: hosts look up symbols of the bridges.
  opwright_precompile(
    opwright_bridge_headers
    FLAGS ${OPWRIGHT_FLAGS_speed}
    HEADERS ${OPWRIGHT_COMMON_HEADERS}
  )
endif()

# Compiles the sources of `target` in units, with the precompiled headers HEADERS if given. Call it
# after all sources are added. A unit has sources of one folder only; tools/check ensures that names
# in unnamed namespaces are unique in a folder.
function(opwright_parse_once target)
  cmake_parse_arguments(PARSE_ARGV 1 once "" "HEADERS;BYTES" "")
  if(NOT OPWRIGHT_PARSE_ONCE)
    return()
  endif()
  if(once_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${once_HEADERS})
  endif()
  if(NOT once_BYTES)
    set(once_BYTES ${OPWRIGHT_UNIT_BYTES})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(unit_folder)
  set(unit_bytes 0)
  set(unit 0)
  foreach(source IN LISTS sources)
    if(NOT EXISTS "${source}" OR NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    file(SIZE "${source}" bytes)
    math(EXPR unit_bytes "${unit_bytes} + ${bytes}")
    if(NOT folder STREQUAL unit_folder OR unit_bytes GREATER once_BYTES)
      math(EXPR unit "${unit} + 1")
      set(unit_bytes ${bytes})
      set(unit_folder "${folder}")
    endif()
    cmake_path(GET folder FILENAME name)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${name}_${unit}")
  endforeach()
endfunction()
