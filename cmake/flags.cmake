# Compiler flags of every target, and the launcher.
#
# CMake's own build types define NDEBUG or leave optimisation out; the core keeps its assertions in
# every build, so the flags stand here and CMAKE_BUILD_TYPE stays empty.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The compiler gets paths relative to the build folder, so that all build folders share their objects.
  set(
    CMAKE_CXX_COMPILER_LAUNCHER
    env
    "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}"
    CCACHE_NOHASHDIR=1
    "${CCACHE_PROGRAM}"
  )
endif()

add_compile_options(
  -O2
  -g1
  -fno-semantic-interposition
  -Wall
  -Wextra
  -Wconversion
  -Wshadow
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlaps that cannot happen in std::string's own operator+.
  add_compile_options(-Wno-restrict)
endif()
# __FILE__ and std::source_location give paths of the tree, not of the machine; ccache makes them
# relative to the build folder.
cmake_path(
  RELATIVE_PATH CMAKE_SOURCE_DIR
  BASE_DIRECTORY "${CMAKE_BINARY_DIR}"
  OUTPUT_VARIABLE tree_from_build
)
add_compile_options(
  "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/="
  "-fmacro-prefix-map=${tree_from_build}/="
)
if(OPWRIGHT_WERROR)
  add_compile_options(-Werror)
endif()

if(OPWRIGHT_SANITIZE STREQUAL "address")
  set(sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(OPWRIGHT_SANITIZE STREQUAL "thread")
  set(sanitizer_flags -fsanitize=thread)
elseif(NOT OPWRIGHT_SANITIZE STREQUAL "")
  message(
    FATAL_ERROR
    "OPWRIGHT_SANITIZE must be empty, address or thread, got ${OPWRIGHT_SANITIZE}"
  )
endif()

if(OPWRIGHT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "OPWRIGHT_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++-19")
  endif()
  if(OPWRIGHT_SANITIZE)
    message(FATAL_ERROR "OPWRIGHT_FUZZ brings its own sanitizers: leave OPWRIGHT_SANITIZE empty")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  # stable_sort of libstdc++ 12 uses what it has deprecated itself.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(OPWRIGHT_FUZZ OR sanitizer_flags)
  add_compile_definitions(OPWRIGHT_ONE_CPU_LEVEL)
endif()

if(sanitizer_flags)
  add_compile_options(${sanitizer_flags} -fno-omit-frame-pointer)
  add_link_options(${sanitizer_flags})
  # The instrumentation makes this one fire on correct code.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
