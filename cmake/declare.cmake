# opwright_declare: adds the operators of a YAML file to an operator binary. Both this build and
# installed packages use it. OPWRIGHT_GENERATOR is the folder of the generator.

# opwright_declare(<target> <file.yaml> NAMESPACE <name> [KERNELS <source>...] [DEVICES <name>...])
#
# Registers every operator of the file in the target of opwright_add_operators, with the C++
# functions that its `dispatch` and `decompose` entries name. They are in the C++ namespace <name>.
# A missing function is a linker error that shows its name and the line of the file. KERNELS are
# more sources; DEVICES are devices of plug-ins that `dispatch` may name.
#
# The target can include "<name>/<file>.h", with a function for each operator, and
# "<name>/<file>_kernels.h", with the declarations of the kernels. Building requires Python with
# PyYAML.
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
  # The generator does not touch unchanged files; the stamp records that it ran.
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
  # Runs before the target is compiled, because its sources may include the headers.
  set(generate "${target}_${declare_NAMESPACE}_${stem}")
  add_custom_target(${generate} DEPENDS "${stamp}")
  add_dependencies(${target} ${generate})
  target_sources(${target} PRIVATE "${registration}" ${declare_KERNELS})
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# Sets Python3_EXECUTABLE in the caller to a Python with PyYAML.
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
