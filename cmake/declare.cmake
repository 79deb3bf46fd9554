# opwright_declare: the operators of a YAML file as part of an operator binary. Used by this build and by
# installed packages alike; OPWRIGHT_GENERATOR is the folder of the generator.

# opwright_declare(<target> <file.yaml> NAMESPACE <name> [KERNELS <source>...] [DEVICES <name>...])
#
# Registers every operator of the file in the target of opwright_add_operators, with the C++ functions
# that its `dispatch` and `decompose` name: a function that is not there is an error of the linker, which
# names it and the line of the file. They stand in the C++ namespace of that name; KERNELS are more
# sources, DEVICES those that a plug-in adds and `dispatch` may name.
#
# The target can include "<name>/<file>.h", a function for each operator, and "<name>/<file>_kernels.h",
# the declarations of the functions. Needs Python with PyYAML when it builds.
function(opwright_declare target file)
  cmake_parse_arguments(PARSE_ARGV 2 declare "" "NAMESPACE" "KERNELS;DEVICES")
  set(call "opwright_declare(${target} ${file})")
  if(declare_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: unknown arguments ${declare_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${call}: there is no target ${target}; opwright_add_operators makes one")
  endif()
  if(NOT "${declare_NAMESPACE}" MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(
      FATAL_ERROR
      "${call}: NAMESPACE must be the name of the operators' namespace, got '${declare_NAMESPACE}'"
    )
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE list)
  if(NOT EXISTS "${list}")
    message(FATAL_ERROR "${call}: there is no file ${list}")
  endif()
  cmake_path(GET list STEM stem)
  opwright_find_generator("${call}")

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/declared/${target}")
  set(made "${folder}/${declare_NAMESPACE}")
  set(registration "${made}/register_${stem}.cpp")
  set(headers "${made}/${stem}.h" "${made}/${stem}_kernels.h")
  # The generator leaves unchanged files alone; the stamp tells that it ran.
  set(stamp "${made}/${stem}.stamp")
  set(devices ${declare_DEVICES})
  list(TRANSFORM devices PREPEND "--device=")
  file(GLOB generator "${OPWRIGHT_GENERATOR}/generate_ops/*.py")
  file(MAKE_DIRECTORY "${made}")
  add_custom_command(
    OUTPUT "${stamp}"
    BYPRODUCTS "${registration}" ${headers}
    COMMAND
      "${CMAKE_COMMAND}" -E env --modify "PYTHONPATH=path_list_prepend:${OPWRIGHT_GENERATOR}"
      PYTHONDONTWRITEBYTECODE=1 "${Python3_EXECUTABLE}" -m generate_ops --yaml "${list}" --namespace
      "${declare_NAMESPACE}" --author "${folder}" ${devices}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${list}" ${generator}
    COMMENT "Generating the operators of ${file}"
    VERBATIM
  )
  set_source_files_properties("${registration}" PROPERTIES GENERATED TRUE)
  # Before anything of the target is compiled: its sources may include the headers.
  set(generate "${target}_${declare_NAMESPACE}_${stem}")
  add_custom_target(${generate} DEPENDS "${stamp}")
  add_dependencies(${target} ${generate})
  target_sources(${target} PRIVATE "${registration}" ${declare_KERNELS})
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# Gives the caller Python3_EXECUTABLE, a Python that can read YAML.
macro(opwright_find_generator call)
  find_package(Python3 3.11 COMPONENTS Interpreter QUIET)
  if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "${call}: needs Python 3.11 or newer, which was not found")
  endif()
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c "import yaml"
    RESULT_VARIABLE without_yaml
    OUTPUT_QUIET
    ERROR_QUIET
  )
  if(without_yaml)
    message(
      FATAL_ERROR
      "${call}: ${Python3_EXECUTABLE} has no PyYAML, which reads the file: ${Python3_EXECUTABLE} -m pip install PyYAML, or name another Python by -DPython3_EXECUTABLE=..."
    )
  endif()
endmacro()
