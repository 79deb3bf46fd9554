# Generates code from src/ops/functions.yaml before any layer is compiled.
#
# Public headers go to <build>/generated/opwright. The registration sources of the ops layer, and
# operator_names.h for the Python bindings, go to <build>/generated_ops. Without the generator or
# the YAML file an empty method table is written, so that the layers below ops still build.

set(OPWRIGHT_GENERATED_INCLUDE "${CMAKE_BINARY_DIR}/generated")
set(OPWRIGHT_GENERATED_OPS "${CMAKE_BINARY_DIR}/generated_ops")
set(OPWRIGHT_GENERATED_OPS_SOURCES)

# The PYTHONPATH of the generator; installed packages set the same variable
# (opwrightConfig.cmake.in).
set(OPWRIGHT_GENERATOR "${CMAKE_SOURCE_DIR}/python/opwright/_generator")

# Reconfigures if files are added.
file(GLOB ops_generator CONFIGURE_DEPENDS "${OPWRIGHT_GENERATOR}/generate_ops/*.py")
file(GLOB ops_yaml CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/ops/functions.yaml")

if(ops_generator AND ops_yaml)
  set(
    generated_headers
    "${OPWRIGHT_GENERATED_INCLUDE}/opwright/tensor_methods.h"
    "${OPWRIGHT_GENERATED_INCLUDE}/opwright/functions.h"
    "${OPWRIGHT_GENERATED_INCLUDE}/opwright/function_names.h"
    "${OPWRIGHT_GENERATED_OPS}/operator_names.h"
  )
  set(
    OPWRIGHT_GENERATED_OPS_SOURCES
    "${OPWRIGHT_GENERATED_OPS}/register_ops.cpp"
    "${OPWRIGHT_GENERATED_OPS}/register_kernels.cpp"
    "${OPWRIGHT_GENERATED_OPS}/register_fakes.cpp"
    "${OPWRIGHT_GENERATED_OPS}/register_composites.cpp"
    "${OPWRIGHT_GENERATED_OPS}/register_vmap.cpp"
    "${OPWRIGHT_GENERATED_OPS}/register_gradients.cpp"
    "${OPWRIGHT_GENERATED_OPS}/register_forms.cpp"
    "${OPWRIGHT_GENERATED_OPS}/composites_00.cpp"
    "${OPWRIGHT_GENERATED_OPS}/composites_01.cpp"
    "${OPWRIGHT_GENERATED_OPS}/composites_02.cpp"
    "${OPWRIGHT_GENERATED_OPS}/composites_03.cpp" # NUM_FILES of composites.py
  )
  foreach(index RANGE 15) # NUM_FILES of gradient_rules.py
    string(LENGTH "${index}" digits)
    if(digits EQUAL 1)
      set(index "0${index}")
    endif()
    list(APPEND OPWRIGHT_GENERATED_OPS_SOURCES "${OPWRIGHT_GENERATED_OPS}/gradients_${index}.cpp")
  endforeach()
  # Headers with the functions that gradient formulas call.
  file(
    GLOB_RECURSE gradient_headers
    CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}/src"
    "${CMAKE_SOURCE_DIR}/src/ops/*_gradients.h"
  )
  list(TRANSFORM gradient_headers REPLACE "(.+)" "--header;opwright/\\1")
  # The same for composites.
  file(
    GLOB_RECURSE composite_headers
    CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}/src"
    "${CMAKE_SOURCE_DIR}/src/ops/*_composites.h"
  )
  list(TRANSFORM composite_headers REPLACE "(.+)" "--composite-header;opwright/\\1")
  # The generator does not touch unchanged files, so that their users are not recompiled; the stamp
  # records that it ran.
  set(generate_ops_stamp "${OPWRIGHT_GENERATED_OPS}/generated.stamp")
  add_custom_command(
    OUTPUT "${generate_ops_stamp}"
    BYPRODUCTS ${generated_headers} ${OPWRIGHT_GENERATED_OPS_SOURCES}
    COMMAND
      "${CMAKE_COMMAND}" -E env --modify "PYTHONPATH=path_list_prepend:${OPWRIGHT_GENERATOR}"
      PYTHONDONTWRITEBYTECODE=1 "${Python3_EXECUTABLE}" -m generate_ops --yaml "${ops_yaml}" --name
      src/ops/functions.yaml --public "${OPWRIGHT_GENERATED_INCLUDE}/opwright" --source
      "${OPWRIGHT_GENERATED_OPS}" ${gradient_headers} ${composite_headers}
    COMMAND "${CMAKE_COMMAND}" -E touch "${generate_ops_stamp}"
    DEPENDS ${ops_generator} "${ops_yaml}"
    COMMENT "Generating operator declarations"
    VERBATIM
  )
  add_custom_target(generate_ops DEPENDS "${generate_ops_stamp}")
  file(MAKE_DIRECTORY "${OPWRIGHT_GENERATED_INCLUDE}/opwright" "${OPWRIGHT_GENERATED_OPS}")
else()
  file(
    CONFIGURE
    OUTPUT "${OPWRIGHT_GENERATED_INCLUDE}/opwright/tensor_methods.h"
    CONTENT "#pragma once\nnamespace opwright { template <class Self> struct TensorMethods {}; }\n"
  )
  add_custom_target(generate_ops)
endif()
