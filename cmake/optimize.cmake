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
  pt2/
  compile/
  convert/
  host/
  program_api/
  onnx_model/
  graph_engine/
  REASON "They read, check and build programs. This runs once; the result runs often."
)
opwright_optimize(
  speed
  schema/alias_info.cpp
  schema/lexer.cpp
  schema/parser.cpp
  schema/type.cpp
  schema/type_parser.cpp
  REASON "They parse the schemas of all built-in operators at the first use in a process."
)
opwright_optimize(
  speed
  compile/capture/compiled_entry.cpp
  compile/capture/size_guards.cpp
  compile/capture/tensor_guards.cpp
  compile/backend/nest_call.cpp
  compile/backend/nest_operator.cpp
  compile/training/training_node.cpp
  program/program/exported_call.cpp
  REASON "They run in every call of a compiled function or an exported program."
)
opwright_optimize(
  kernel
  ops/engine/
  ops/convolution/
  ops/embedding/
  ops/fft/fft_lines.cpp
  ops/index/*_kernel.cpp
  ops/index/gather.cpp
  ops/index/mask.cpp
  ops/index/nonzero.cpp
  ops/index/scatter.cpp
  ops/join/*_kernel.cpp
  ops/matrix/
  ops/optimizer/
  ops/pointwise/
  ops/special/
  ops/reduction/
  ops/normalization/
  ops/sorting/
  ops/random/
  ops/pooling/
  ops/sampling/
  REASON "Loops over elements. GCC 12 vectorizes loops of unknown length only at -O3."
)
opwright_optimize(
  speed
  ops/engine/shape/
  ops/engine/move/copy_operators.cpp
  ops/engine/pointwise/pointwise_apply.cpp
  ops/engine/pointwise/pointwise_fake.cpp
  ops/engine/pointwise/pointwise_formula.cpp
  ops/engine/pointwise/pointwise_registration.cpp
  ops/engine/pointwise/pointwise_result.cpp
  ops/engine/reduction/reduction.cpp
  ops/matrix/matrix_pattern.cpp
  REASON "They choose a loop and its operands in every call, and have no loops over elements."
)
opwright_optimize(
  size
  ops/*/*_batching.cpp
  ops/*/composite_*.cpp
  ops/*/*_composites.cpp
  ops/*/*_decomposition.cpp
  ops/*/*_gradients.cpp
  ops/engine/pointwise/formula_reader.cpp
  generated_ops/composites_*.cpp
  generated_ops/gradients_*.cpp
  REASON "Rules only call operators, which take most of the time."
)
opwright_optimize(
  size
  ops/fft/fft_arguments.cpp
  ops/fft/fft_frequency.cpp
  ops/fft/stft.cpp
  ops/linalg/
  ops/*/*_composite.cpp
  REASON "They prepare calls of LAPACK or of other operators."
)
opwright_optimize(
  speed
  generated_ops/gradients_00.cpp
  generated_ops/gradients_01.cpp
  generated_ops/gradients_02.cpp
  generated_ops/gradients_03.cpp
  REASON "Rules of operators that the generator lists as quick (NUM_QUICK), where overhead matters."
)
opwright_optimize(
  speed
  ops/sorting/membership.cpp
  ops/sorting/mode.cpp
  ops/sorting/search.cpp
  ops/sorting/unique.cpp
  ops/sorting/unique_rows.cpp
  ops/statistics/
  REASON "Their loops look up, count or branch for each element: there is nothing to vectorize."
)
opwright_optimize(
  size
  ops/*/device_*.cpp
  ops/engine/*/device_*.cpp
  transforms/mode/kernel_fallback.cpp
  REASON "They describe work to a device; launching it takes longer."
)
opwright_optimize(
  speed
  ops/engine/device/device_kernel.cpp
  ops/engine/pointwise/device_loop.cpp
  ops/engine/pointwise/device_pointwise.cpp
  REASON "They run in every pointwise call on a device, where a launch takes a few microseconds."
)
