# Tests of the plug-in through its table, without the core: on a device (cuda_plugin_test) and on
# two fake ones (cuda_plugin_on_cpu_test), where the plug-in's code runs with a CUDA runtime, cuBLASLt
# and NVRTC that are implemented on the CPU.

set(tests_folder "${CMAKE_SOURCE_DIR}/tests/devices/cuda_runtime")
file(GLOB plugin_tests CONFIGURE_DEPENDS "${tests_folder}/plugin/*.cpp")
add_executable(cuda_plugin_test ${plugin_tests})
target_compile_definitions(
  cuda_plugin_test
  PRIVATE "OPWRIGHT_CUDA_PLUGIN=\"${CMAKE_BINARY_DIR}/libopwright_cuda.so\""
)
target_link_libraries(cuda_plugin_test PRIVATE GTest::gtest_main ${CMAKE_DL_LIBS})
add_dependencies(cuda_plugin_test opwright_cuda)
opwright_device_test(cuda_plugin_test)

set(fake_folder "${CMAKE_CURRENT_BINARY_DIR}/on_cpu")
add_library(
  cuda_on_cpu_runtime
  SHARED
  "${tests_folder}/fake_runtime/fake_runtime.cpp"
  "${tests_folder}/fake_runtime/fake_driver.cpp"
)
opwright_add_operators(
  cuda_on_cpu
  SOURCES ${runtime_sources} "${tests_folder}/fake_runtime/fake_kernels.cpp"
)
add_library(cuda_on_cpu_cublas SHARED "${tests_folder}/fake_runtime/fake_cublas_lt.cpp")
add_library(cuda_on_cpu_nvrtc SHARED "${tests_folder}/fake_runtime/fake_nvrtc.cpp")
target_link_libraries(cuda_on_cpu PRIVATE cuda_on_cpu_runtime Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(cuda_on_cpu_cublas PRIVATE cuda_on_cpu_runtime)
target_compile_definitions(cuda_on_cpu PRIVATE OPWRIGHT_DYNAMIC_TLS)
set_target_properties(cuda_on_cpu PROPERTIES OUTPUT_NAME opwright_cuda)
set_target_properties(cuda_on_cpu_cublas PROPERTIES OUTPUT_NAME cublasLt SOVERSION 13)
set_target_properties(cuda_on_cpu_nvrtc PROPERTIES OUTPUT_NAME nvrtc SOVERSION 13)
foreach(target IN ITEMS cuda_on_cpu_runtime cuda_on_cpu cuda_on_cpu_cublas cuda_on_cpu_nvrtc)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${fake_folder}")
  add_dependencies(cuda_plugin_test ${target})
endforeach()
foreach(
  target
  IN
  ITEMS cuda_plugin_test cuda_on_cpu_runtime cuda_on_cpu cuda_on_cpu_cublas cuda_on_cpu_nvrtc
)
  opwright_see_public(${target})
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_include_directories(${target} SYSTEM PRIVATE "${OPWRIGHT_CUDA_INCLUDE}")
endforeach()
add_test(NAME cuda_plugin_on_cpu_test COMMAND cuda_plugin_test)
set_tests_properties(
  cuda_plugin_on_cpu_test
  PROPERTIES
    LABELS devices
    ENVIRONMENT
      "OPWRIGHT_CUDA_PLUGIN=${fake_folder}/libopwright_cuda.so;OPWRIGHT_CUDA_LIBRARIES=${fake_folder}"
)
