# The bridges to other hosts: bridges/<host>/*.cpp become libopwright_<host>.so, which links the
# core but not the host, and may include only public headers. bridges/operators holds the code that
# they share. bridges/torch/python is the extension module opwright._torch.

if(NOT TARGET opwright)
  return()
endif()

# Adds the include folders of a bridge: the public headers, and the root for "bridges/..." paths.
function(opwright_see_as_bridge target)
  opwright_see_public(${target})
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE OPWRIGHT_CORE)
  target_link_libraries(${target} PRIVATE opwright ${CMAKE_DL_LIBS})
endfunction()

file(GLOB operator_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bridges/operators/*.cpp")
if(operator_sources)
  add_library(opwright_bridge_operators OBJECT ${operator_sources})
  opwright_see_as_bridge(opwright_bridge_operators)
  opwright_parse_once(opwright_bridge_operators HEADERS opwright_bridge_headers)
endif()

set(OPWRIGHT_BRIDGES)
foreach(host IN ITEMS torch jax onnxruntime)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bridges/${host}/*.cpp")
  if(sources)
    add_library(opwright_${host} SHARED ${sources})
    opwright_see_as_bridge(opwright_${host})
    opwright_parse_once(opwright_${host} HEADERS opwright_bridge_headers)
    if(TARGET opwright_bridge_operators)
      target_sources(opwright_${host} PRIVATE $<TARGET_OBJECTS:opwright_bridge_operators>)
    endif()
    # Never unloaded: hosts may close it (ONNX Runtime does) while records and sessions still point
    # into it.
    target_link_options(opwright_${host} PRIVATE LINKER:-z,nodelete)
    set_target_properties(opwright_${host} PROPERTIES BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
    list(APPEND OPWRIGHT_BRIDGES opwright_${host})
    install(TARGETS opwright_${host} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endforeach()

if(NOT TARGET opwright_python)
  return()
endif()
foreach(bridge IN LISTS OPWRIGHT_BRIDGES)
  file(
    CREATE_LINK
      "${CMAKE_BINARY_DIR}/lib${bridge}.so"
      "${OPWRIGHT_PYTHON_PACKAGE}/lib/lib${bridge}.so"
    SYMBOLIC
  )
  add_dependencies(python ${bridge})
endforeach()

file(GLOB module_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bridges/torch/python/*.cpp")
if(module_sources AND TARGET opwright_torch)
  python_add_library(opwright_torch_python MODULE WITH_SOABI ${module_sources})
  opwright_see_as_bridge(opwright_torch_python)
  opwright_parse_once(opwright_torch_python HEADERS opwright_bridge_headers)
  target_include_directories(opwright_torch_python SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
  target_link_libraries(opwright_torch_python PRIVATE opwright_torch)
  set_target_properties(
    opwright_torch_python
    PROPERTIES
      OUTPUT_NAME _torch
      LIBRARY_OUTPUT_DIRECTORY "${OPWRIGHT_PYTHON_PACKAGE}"
      BUILD_RPATH "$ORIGIN/lib"
      INSTALL_RPATH "$ORIGIN/lib"
  )
  add_dependencies(python opwright_torch_python)
  if(SKBUILD)
    install(TARGETS opwright_torch_python LIBRARY DESTINATION .)
  endif()
endif()
