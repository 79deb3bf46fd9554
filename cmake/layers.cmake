# Layers are object libraries whose include roots contain only the layers that they may use.
#
# <build>/layers/<layer>/opwright/ has one symlink per allowed layer, so including a header of
# another layer fails. The tests of a layer include and link the same set.

set(OPWRIGHT_BUILT_LAYERS)

# Layers whose tests start threads; these tests have the ctest label `threads` and run under TSan.
set(
  OPWRIGHT_THREADED_LAYERS
  base
  tensor
  dispatch
  autograd
  run
  compile
  check
  host
  program_api
)

# Sets `result` to the object libraries of `layers` that have sources.
function(opwright_objects result)
  set(found)
  foreach(layer IN LISTS ARGN)
    get_property(objects GLOBAL PROPERTY OPWRIGHT_OBJECTS_OF_${layer})
    list(APPEND found ${objects})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Adds the include roots of `layer` to `target`, and compiles the public headers in core mode
# (include/opwright/visibility.h).
function(opwright_see_as target layer)
  target_include_directories(
    ${target}
    PRIVATE
      "${CMAKE_SOURCE_DIR}/include"
      "${OPWRIGHT_GENERATED_INCLUDE}"
      "${CMAKE_BINARY_DIR}/layers/${layer}"
  )
  target_compile_definitions(${target} PRIVATE OPWRIGHT_CORE)
  target_compile_options(${target} PRIVATE ${OPWRIGHT_HIDDEN})
  # Error messages show a header's path in src, not the path of the symlink.
  target_compile_options(
    ${target}
    PRIVATE
      "-fmacro-prefix-map=${CMAKE_BINARY_DIR}/layers/${layer}/opwright=src"
      "-fmacro-prefix-map=layers/${layer}/opwright=src"
  )
  target_link_libraries(${target} PRIVATE fmt::fmt-header-only Threads::Threads)
  add_dependencies(${target} generate_ops)
endfunction()

# Creates the include root of `layer`, with symlinks to the layers in ARGN.
function(opwright_include_root layer)
  set(root "${CMAKE_BINARY_DIR}/layers/${layer}/opwright")
  file(MAKE_DIRECTORY "${root}")
  file(GLOB stale RELATIVE "${root}" "${root}/*")
  list(REMOVE_ITEM stale ${ARGN})
  foreach(link IN LISTS stale)
    file(REMOVE "${root}/${link}")
  endforeach()
  foreach(allowed IN LISTS ARGN)
    if(NOT IS_SYMLINK "${root}/${allowed}")
      file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/${allowed}" "${root}/${allowed}" SYMBOLIC)
    endif()
  endforeach()
endfunction()

# opwright_layer(<name> USES <layers> [FOLDERS <folders>]): builds src/<name> as the object libraries
# opwright_<name>_<level>, one for each optimization level of its sources (optimize.cmake), and its
# tests. They may include the layer itself, the layers of USES and, transitively, theirs. A layer
# without sources builds nothing, but its headers are visible to the layers above.
#
# FOLDERS lists the folders of a layer, lowest first; . is the layer's own folder. A file may include
# its own folder and lower ones (tools/check).
function(opwright_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "USES;FOLDERS")
  set(visible ${name})
  foreach(used IN LISTS layer_USES)
    get_property(below GLOBAL PROPERTY OPWRIGHT_VISIBLE_TO_${used})
    if(NOT below)
      message(FATAL_ERROR "layer ${name}: ${used} must have its line before it")
    endif()
    list(APPEND visible ${below})
  endforeach()
  list(REMOVE_DUPLICATES visible)
  set_property(GLOBAL PROPERTY OPWRIGHT_VISIBLE_TO_${name} ${visible})
  opwright_include_root(${name} ${visible})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
  if(name STREQUAL "ops")
    list(APPEND sources ${OPWRIGHT_GENERATED_OPS_SOURCES})
  endif()
  foreach(level IN LISTS OPWRIGHT_LEVELS)
    opwright_sources_at(level_sources ${level} ${sources})
    if(level_sources)
      set(objects opwright_${name}_${level})
      add_library(${objects} OBJECT ${level_sources})
      opwright_see_as(${objects} ${name})
      target_compile_options(${objects} PRIVATE ${OPWRIGHT_FLAGS_${level}})
      set(unit_bytes)
      if(level STREQUAL "kernel")
        set(unit_bytes BYTES ${OPWRIGHT_KERNEL_UNIT_BYTES})
      endif()
      opwright_parse_once(${objects} HEADERS opwright_${level}_headers ${unit_bytes})
      set_property(GLOBAL APPEND PROPERTY OPWRIGHT_OBJECTS_OF_${name} ${objects})
    endif()
  endforeach()
  set(OPWRIGHT_BUILT_LAYERS ${OPWRIGHT_BUILT_LAYERS} ${name} PARENT_SCOPE)

  if(OPWRIGHT_TESTS)
    opwright_layer_tests(${name} ${visible})
  endif()
endfunction()

# Adds a test executable with the include roots of `layer`; it links the objects of LAYERS.
function(opwright_test_executable target layer)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "" "SOURCES;LAYERS")
  add_executable(${target} ${test_SOURCES})
  opwright_see_as(${target} ${layer})
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_compile_options(${target} PRIVATE ${OPWRIGHT_FLAGS_test})
  opwright_parse_once(${target} HEADERS opwright_test_headers)
  opwright_objects(objects ${test_LAYERS})
  # Tools and fuzz targets link gtest too: they use the precompiled headers of the tests.
  target_link_libraries(${target} PRIVATE ${objects} GTest::gtest ${CMAKE_DL_LIBS})
  if("host" IN_LIST test_LAYERS AND TARGET test_operators)
    add_dependencies(${target} test_operators)
    target_compile_definitions(
      ${target}
      PRIVATE "OPWRIGHT_TEST_OPERATORS=\"${CMAKE_BINARY_DIR}/operators\""
    )
  endif()
endfunction()

# The executables of tests/<layer>:
#   *_main.cpp  one command-line tool each, named after the file without _main
#   *_fuzz.cpp  one libFuzzer target each, if OPWRIGHT_SANITIZE is address
#   the rest    the ctest <layer>_test, including subfolders
function(opwright_layer_tests layer)
  set(folder "${CMAKE_SOURCE_DIR}/tests/${layer}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB mains CONFIGURE_DEPENDS "${folder}/*_main.cpp")
  file(GLOB fuzzers CONFIGURE_DEPENDS "${folder}/*_fuzz.cpp")
  list(REMOVE_ITEM sources ${mains} ${fuzzers})

  if(sources)
    opwright_test_executable(${layer}_test ${layer} SOURCES ${sources} LAYERS ${ARGN})
    target_link_libraries(${layer}_test PRIVATE GTest::gtest_main)
    add_test(NAME ${layer}_test COMMAND ${layer}_test WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    set_property(GLOBAL APPEND PROPERTY OPWRIGHT_LAYER_TESTS ${layer}_test)
    if(layer IN_LIST OPWRIGHT_THREADED_LAYERS)
      set_property(GLOBAL APPEND PROPERTY OPWRIGHT_THREAD_TESTS ${layer}_test)
      set_property(TEST ${layer}_test PROPERTY LABELS threads)
    endif()
  endif()

  foreach(main IN LISTS mains)
    cmake_path(GET main STEM stem)
    string(REGEX REPLACE "_main$" "" target "${stem}")
    opwright_test_executable(${target} ${layer} SOURCES "${main}" LAYERS ${ARGN})
    set_property(GLOBAL APPEND PROPERTY OPWRIGHT_TEST_PROGRAMS ${target})
  endforeach()

  if(OPWRIGHT_SANITIZE STREQUAL "address")
    foreach(fuzzer IN LISTS fuzzers)
      cmake_path(GET fuzzer STEM target)
      opwright_test_executable(${target} ${layer} SOURCES "${fuzzer}" LAYERS ${ARGN})
      # libFuzzer loads libstdc++ before the sanitizer runtime; a shared runtime does not support
      # that.
      target_link_options(${target} PRIVATE -fsanitize=fuzzer -static-libsan)
      set_property(GLOBAL APPEND PROPERTY OPWRIGHT_FUZZERS ${target})
    endforeach()
  endif()
endfunction()

# Links all layers into libopwright.so, and creates the include root `core`, which holds all layers,
# for the code that links it. Call it after the last layer.
function(opwright_core)
  opwright_include_root(core ${OPWRIGHT_BUILT_LAYERS})
  opwright_objects(objects ${OPWRIGHT_BUILT_LAYERS})
  if(objects)
    list(TRANSFORM objects REPLACE ".+" "$<TARGET_OBJECTS:\\0>")
    add_library(opwright SHARED ${objects})
    target_link_libraries(opwright PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    # Calls inside the core are direct: symbol interposition is not supported.
    target_link_options(opwright PRIVATE LINKER:-Bsymbolic-functions)
    set(exports "${CMAKE_SOURCE_DIR}/cmake/core_exports.map")
    target_link_options(opwright PRIVATE "LINKER:--version-script=${exports}")
    set_property(TARGET opwright APPEND PROPERTY LINK_DEPENDS "${exports}")
    target_link_options(opwright PRIVATE LINKER:--no-undefined)
  endif()
endfunction()

# Adds a target for each kind of test: layer_tests, thread_tests, fuzzers, and python_tests, which
# builds the dependencies of the Python tests. Writes the names of the fuzz targets to
# <build>/fuzzers.txt. Call it after all other targets.
function(opwright_test_groups)
  foreach(group IN ITEMS layer_tests thread_tests fuzzers)
    string(TOUPPER "OPWRIGHT_${group}" property)
    get_property(targets GLOBAL PROPERTY ${property})
    add_custom_target(${group} DEPENDS ${targets})
  endforeach()
  get_property(programs GLOBAL PROPERTY OPWRIGHT_TEST_PROGRAMS)
  set(
    wanted
    test_operators
    operators_soft_limit
    operators_sampling
    python
    tour
    run_model
    export_onnx
    generate
    ${programs}
  )
  add_custom_target(python_tests)
  foreach(target IN LISTS wanted)
    if(TARGET ${target})
      add_dependencies(python_tests ${target})
    endif()
  endforeach()
  get_property(fuzzers GLOBAL PROPERTY OPWRIGHT_FUZZERS)
  list(JOIN fuzzers "\n" lines)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/fuzzers.txt" CONTENT "${lines}\n" @ONLY)
endfunction()

# Adds an executable that links libopwright and may include every layer. Skipped if
# `source` does not exist.
function(opwright_program name source)
  file(GLOB found CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${source}")
  if(found AND TARGET opwright)
    add_executable(${name} "${found}")
    opwright_see_as(${name} core)
    target_link_libraries(${name} PRIVATE opwright)
  endif()
endfunction()
