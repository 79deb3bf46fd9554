# The devices of our own: devices/<name>/CMakeLists.txt makes libopwright_<name>.so, a plug-in like
# anybody's: an operator binary that sees the public headers alone and links nothing of the core.

if(NOT TARGET opwright OR OPWRIGHT_FUZZ OR OPWRIGHT_SANITIZE)
  return()
endif()

# Puts a plug-in beside the core, in the build's package and in what is installed.
function(opwright_place_device target)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  if(TARGET opwright_python)
    file(
      CREATE_LINK
        "${CMAKE_BINARY_DIR}/lib${target}.so"
        "${OPWRIGHT_PYTHON_PACKAGE}/lib/lib${target}.so"
      SYMBOLIC
    )
    add_dependencies(python ${target})
  endif()
endfunction()

foreach(device IN ITEMS opencl cuda)
  if(EXISTS "${CMAKE_SOURCE_DIR}/devices/${device}/CMakeLists.txt")
    add_subdirectory("devices/${device}")
  endif()
endforeach()
