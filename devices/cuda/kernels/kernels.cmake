# The kernels of the plug-in. Adds to host_sources and device_sources of the folder above.
#
# The formulas of the core's loops become kernels at build time: list_formulas finds them in the
# sources of the operators and writes a few files for nvcc, which compile in parallel.

set(kernels_folder "${CMAKE_CURRENT_SOURCE_DIR}/kernels")

file(GLOB kernel_sources CONFIGURE_DEPENDS "${kernels_folder}/*.cu")
file(GLOB kernel_host_sources CONFIGURE_DEPENDS "${kernels_folder}/*.cpp")
list(REMOVE_ITEM kernel_host_sources "${kernels_folder}/list_formulas.cpp")
list(APPEND device_sources ${kernel_sources})
list(APPEND host_sources ${kernel_host_sources})

add_executable(
  list_formulas
  "${kernels_folder}/list_formulas.cpp"
  "${kernels_folder}/formula_text.cpp"
)
target_include_directories(list_formulas PRIVATE "${CMAKE_SOURCE_DIR}")

set(formula_folder "${CMAKE_CURRENT_BINARY_DIR}/formulas")
file(MAKE_DIRECTORY "${formula_folder}")
file(
  GLOB_RECURSE formula_texts
  CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/src/ops/pointwise/*.cpp"
  "${CMAKE_SOURCE_DIR}/src/ops/device_*.cpp"
  "${CMAKE_SOURCE_DIR}/src/ops/device_*.h"
)
set(formula_parts 12)
math(EXPR last_formula_part "${formula_parts} - 1")
set(formula_sources)
foreach(part RANGE ${last_formula_part})
  list(APPEND formula_sources "${formula_folder}/formulas_${part}.cu")
endforeach()
add_custom_command(
  OUTPUT ${formula_sources} "${formula_folder}/formula_table.cpp" "${formula_folder}/formula_list.h"
  COMMAND list_formulas "${formula_folder}" ${formula_parts} ${formula_texts}
  DEPENDS list_formulas ${formula_texts}
  COMMENT "Writing the kernels of formulas"
  VERBATIM
)
list(APPEND device_sources ${formula_sources})
list(APPEND host_sources "${formula_folder}/formula_table.cpp")

# The functors, reductions and distributions of the kernels, compiled for the CPU and compared with
# the core's own.
if(OPWRIGHT_TESTS)
  file(GLOB kernel_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/devices/cuda/*_test.cpp")
  opwright_test_executable(
    cuda_kernels_test
    ops
    SOURCES ${kernel_tests} "${kernels_folder}/formula_text.cpp" "${formula_folder}/formula_list.h"
    LAYERS base symbolic tensor schema dispatch ops
  )
  target_include_directories(
    cuda_kernels_test
    PRIVATE "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}"
  )
  # "x != x" is a formula.
  target_compile_options(cuda_kernels_test PRIVATE -Wno-tautological-compare)
  target_link_libraries(cuda_kernels_test PRIVATE GTest::gtest_main)
  opwright_device_test(cuda_kernels_test)
endif()

# Measures the cost of an allocation and a launch; benchmarks/cuda.py runs it.
add_executable(cuda_device_bench "${CMAKE_SOURCE_DIR}/benchmarks/cuda_device/device_bench.cpp")
opwright_see_public(cuda_device_bench)
target_include_directories(cuda_device_bench SYSTEM PRIVATE "${OPWRIGHT_CUDA_INCLUDE}")
target_compile_definitions(
  cuda_device_bench
  PRIVATE "OPWRIGHT_CUDA_PLUGIN=\"${CMAKE_BINARY_DIR}/libopwright_cuda.so\""
)
target_link_libraries(cuda_device_bench PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(device_tests cuda_device_bench)
