# Targets that may include only public headers, as operator authors do.

# Adds the public include folders to `target`, and nothing of src.
function(opwright_see_public target)
  target_include_directories(
    ${target}
    PRIVATE "${CMAKE_SOURCE_DIR}/include" "${OPWRIGHT_GENERATED_INCLUDE}"
  )
  add_dependencies(${target} generate_ops)
endfunction()

# Builds <build>/operators/lib<name>.so from one source; the target is operators_<name>.
function(opwright_sample_operators name source)
  opwright_add_operators(operators_${name} SOURCES "${source}")
  add_dependencies(operators_${name} generate_ops)
  set_target_properties(
    operators_${name}
    PROPERTIES OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/operators"
  )
endfunction()

# The sample operators of the tests: tests/operators/<name>.cpp and examples/first_operator.
# compat_* use the headers with PyTorch's names. Tests find the folder through
# OPWRIGHT_TEST_OPERATORS. The target test_operators builds all of them.
function(opwright_test_operators)
  file(
    GLOB sources
    CONFIGURE_DEPENDS
    "${CMAKE_SOURCE_DIR}/tests/operators/*.cpp"
    "${CMAKE_SOURCE_DIR}/tests/operators/compat/*.cpp"
  )
  add_custom_target(test_operators)
  foreach(source IN LISTS sources ITEMS "${CMAKE_SOURCE_DIR}/examples/first_operator/soft_clip.cpp")
    cmake_path(GET source STEM name)
    opwright_sample_operators(${name} "${source}")
    add_dependencies(test_operators operators_${name})
    if(name MATCHES "^compat_")
      target_link_libraries(operators_${name} PRIVATE opwright::compat)
      target_compile_definitions(operators_${name} PRIVATE TORCH_EXTENSION_NAME=${name})
    endif()
  endforeach()
endfunction()

# The sample operators for CUDA, tests/operators/cuda/<name>.cu, if nvcc is installed. nvcc is
# called by a custom command, because enabling CMake's CUDA language would search for a compiler in
# every build. The flags are those of python/opwright/cpp_extension.
function(opwright_cuda_test_operators)
  find_program(OPWRIGHT_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin")
  if(NOT OPWRIGHT_NVCC)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/operators/cuda/*.cu")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    set(library "${CMAKE_BINARY_DIR}/operators/lib${name}.so")
    add_custom_command(
      OUTPUT "${library}"
      COMMAND
        "${OPWRIGHT_NVCC}" -std=c++20 -O2 -shared -cudart static -Xcompiler
        -fPIC,-fvisibility=hidden -diag-suppress 186 -gencode
        "arch=compute_90,code=[sm_90,compute_90]" -DOPWRIGHT_DYNAMIC_TLS
        "-I${CMAKE_SOURCE_DIR}/include" "-I${OPWRIGHT_GENERATED_INCLUDE}" -MD -MF "${library}.d" -o
        "${library}" "${source}"
      DEPENDS "${source}" generate_ops
      DEPFILE "${library}.d"
      COMMENT "Building lib${name}.so with nvcc"
      VERBATIM
    )
    add_custom_target(operators_${name} DEPENDS "${library}")
    add_dependencies(device_tests operators_${name})
  endforeach()
endfunction()

# tests/abi: the test is that these files compile.
function(opwright_abi_freeze)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/abi/*.cpp")
  if(sources)
    add_library(abi_freeze OBJECT ${sources})
    opwright_see_public(abi_freeze)
  endif()
endfunction()
