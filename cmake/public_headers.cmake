# Targets that see include/opwright alone, as an operator's author does.

# Gives `target` the public include roots and nothing of src.
function(opwright_see_public target)
  target_include_directories(
    ${target}
    PRIVATE "${CMAKE_SOURCE_DIR}/include" "${OPWRIGHT_GENERATED_INCLUDE}"
  )
  add_dependencies(${target} generate_ops)
endfunction()

# The sample operator binaries: tests/operators/<name>.cpp becomes <build>/operators/lib<name>.so,
# linked with nothing of the core. Tests find the folder in OPWRIGHT_TEST_OPERATORS. The target
# test_operators builds them all.
function(opwright_test_operators)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/operators/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_custom_target(test_operators)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_library(operators_${name} MODULE "${source}")
    opwright_see_public(operators_${name})
    if(name MATCHES "^compat_")
      target_include_directories(operators_${name} PRIVATE "${CMAKE_SOURCE_DIR}/include/opwright/compat")
      target_compile_definitions(operators_${name} PRIVATE TORCH_EXTENSION_NAME=${name})
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC 12 sees the empty side of a std::optional as read.
        target_compile_options(operators_${name} PRIVATE -Wno-maybe-uninitialized)
      endif()
    endif()
    set_target_properties(
      operators_${name}
      PROPERTIES OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/operators"
    )
    add_dependencies(test_operators operators_${name})
  endforeach()
endfunction()

# tests/abi: compiling these files is the test.
function(opwright_abi_freeze)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/abi/*.cpp")
  if(sources)
    add_library(abi_freeze OBJECT ${sources})
    opwright_see_public(abi_freeze)
  endif()
endfunction()
