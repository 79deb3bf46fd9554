# cuda_allocator_test: the parts of the plug-in that are plain C++, over a fake device.
file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/devices/cuda_runtime/*.cpp")
add_executable(
  cuda_allocator_test
  ${test_sources}
  "${CMAKE_CURRENT_SOURCE_DIR}/allocator.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/error_text.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/product_layout.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/shared_library.cpp"
)
opwright_see_public(cuda_allocator_test)
target_include_directories(cuda_allocator_test PRIVATE "${CMAKE_SOURCE_DIR}")
target_link_libraries(
  cuda_allocator_test
  PRIVATE GTest::gtest_main Threads::Threads ${CMAKE_DL_LIBS}
)
opwright_device_test(cuda_allocator_test)
