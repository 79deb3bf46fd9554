# The optimization level of each source of the core.
#
#   opwright_optimize(<level> <pattern>... REASON <text>)
#
# A pattern is a path below src. * matches any part of a file name; a pattern that ends in / matches
# everything in the folder. The last matching line wins. The levels:
#
#   speed    -O2, the default
#   size     -Os: smaller code that compiles faster
#   kernel   -O3, with floating-point options that allow vectorization
#
# opwright_layer creates one object library for each level used in a layer. Debug and sanitizer
# builds use one level for everything (cmake/flags.cmake).

set(OPWRIGHT_LEVELS speed size kernel)

function(opwright_optimize level)
  cmake_parse_arguments(PARSE_ARGV 1 line "" "REASON" "")
  if(NOT level IN_LIST OPWRIGHT_LEVELS)
    message(
      FATAL_ERROR
      "opwright_optimize: the level must be one of ${OPWRIGHT_LEVELS}, got '${level}'"
    )
  endif()
  if(NOT line_REASON)
    message(FATAL_ERROR "opwright_optimize(${level} ${line_UNPARSED_ARGUMENTS}): REASON is missing")
  endif()
  foreach(pattern IN LISTS line_UNPARSED_ARGUMENTS)
    string(REPLACE "." "\\." regex "${pattern}")
    string(REPLACE "*" "[^/]*" regex "${regex}")
    string(REGEX REPLACE "/$" "/.*" regex "${regex}")
    set_property(GLOBAL APPEND PROPERTY OPWRIGHT_OPTIMIZED "${level}" "^${regex}$")
  endforeach()
endfunction()

# Sets `result` to the sources in ARGN whose level is `level`.
function(opwright_sources_at result level)
  get_property(table GLOBAL PROPERTY OPWRIGHT_OPTIMIZED)
  set(found)
  foreach(source IN LISTS ARGN)
    string(REPLACE "${CMAKE_SOURCE_DIR}/src/" "" name "${source}")
    string(REPLACE "${CMAKE_BINARY_DIR}/" "" name "${name}")
    set(source_level speed)
    set(lines ${table})
    while(lines)
      list(POP_FRONT lines line_level regex)
      if(name MATCHES "${regex}")
        set(source_level "${line_level}")
      endif()
    endwhile()
    if(source_level STREQUAL level)
      list(APPEND found "${source}")
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

opwright_optimize(
  size
  symbolic/
  schema/
  ir/
  check/
  program/
  compile/
  convert/
  host/
  REASON "They read, check and build programs. This runs once; the result runs often."
)
opwright_optimize(
  speed
  compile/compiled_entry.cpp
  compile/nest_call.cpp
  compile/nest_operator.cpp
  compile/size_guards.cpp
  compile/tensor_guards.cpp
  compile/training_node.cpp
  program/exported_call.cpp
  REASON "They run in every call of a compiled function or an exported program."
)
opwright_optimize(
  kernel
  ops/cpu/
  ops/matrix/
  ops/pointwise/
  ops/reduction/
  ops/normalization/
  ops/sorting/
  ops/random/
  ops/pooling/
  ops/sampling/
  REASON "Loops over elements. GCC 12 vectorizes loops of unknown length only at -O3."
)
opwright_optimize(
  size
  ops/*_batching.cpp
  ops/*_decomposition.cpp
  ops/*_gradients.cpp
  ops/*_reader.cpp
  ops/*/*_batching.cpp
  ops/*/*_decomposition.cpp
  ops/*/*_gradients.cpp
  ops/*/*_reader.cpp
  generated_ops/gradients_*.cpp
  REASON "Rules only call operators, which take most of the time."
)
opwright_optimize(
  speed
  generated_ops/gradients_00.cpp
  generated_ops/gradients_01.cpp
  generated_ops/gradients_02.cpp
  generated_ops/gradients_03.cpp
  REASON
    "Rules of operators that the generator lists as quick (NUM_QUICK), where overhead matters."
)
opwright_optimize(
  size
  ops/device/
  transforms/kernel_stand_in.cpp
  REASON "They describe work to a device; the launch itself takes longer."
)
opwright_optimize(
  speed
  ops/device/device_loop.cpp
  ops/device/device_pointwise.cpp
  REASON "They run in every pointwise call on a device, where a launch takes a few microseconds."
)
