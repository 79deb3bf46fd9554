# The devices of this repository: devices/<name>/CMakeLists.txt builds libopwright_<name>.so. Like
# third-party plug-ins, it is an operator binary that includes only public headers and does not link
# the core.
#
# Devices are built only on request: the target `devices` builds the plug-ins, `device_tests` their
# C++ tests and the sample operators for CUDA. A wheel contains the devices in OPWRIGHT_DEVICES.

set(OPWRIGHT_DEVICES "" CACHE STRING "Devices that are part of the Python package: opencl, cuda")

if(NOT TARGET opwright OR OPWRIGHT_SANITIZE)
  return()
endif()

add_custom_target(devices)
add_custom_target(device_tests)

# Places a plug-in next to the core, in the build's package and in the wheel.
function(opwright_place_device target)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  add_dependencies(devices ${target})
  if(TARGET opwright_python)
    file(
      CREATE_LINK
        "${CMAKE_BINARY_DIR}/lib${target}.so"
        "${OPWRIGHT_PYTHON_PACKAGE}/lib/lib${target}.so"
      SYMBOLIC
    )
  endif()
  string(REPLACE "opwright_" "" name "${target}")
  if(name IN_LIST OPWRIGHT_DEVICES AND TARGET opwright_python)
    add_dependencies(python ${target})
  endif()
endfunction()

# Registers `target` as a test of `make test-devices`.
function(opwright_device_test target)
  add_dependencies(device_tests ${target})
  add_test(NAME ${target} COMMAND ${target})
  set_property(TEST ${target} PROPERTY LABELS devices)
endfunction()

set(known_devices opencl cuda)
foreach(device IN LISTS OPWRIGHT_DEVICES)
  if(NOT device IN_LIST known_devices)
    message(FATAL_ERROR "OPWRIGHT_DEVICES names ${known_devices}, got '${device}'")
  endif()
endforeach()
foreach(device IN LISTS known_devices)
  add_subdirectory("devices/${device}" EXCLUDE_FROM_ALL)
  # Installed from here, because CMake ignores install rules of folders with EXCLUDE_FROM_ALL.
  if(TARGET opwright_${device})
    install(TARGETS opwright_${device} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" OPTIONAL)
  elseif(device IN_LIST OPWRIGHT_DEVICES)
    message(FATAL_ERROR "OPWRIGHT_DEVICES names ${device}, which cannot be built here: see above")
  endif()
endforeach()
if(OPWRIGHT_TESTS)
  opwright_cuda_test_operators()
endif()
