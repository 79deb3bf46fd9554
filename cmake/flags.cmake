# Compiler flags of every target, the compiler launcher and the linker.
#
# The core keeps its assertions in every build. CMake's build types define NDEBUG or disable
# optimization, so CMAKE_BUILD_TYPE stays empty and the flags are set here.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths are relative to the build folder, so that all build folders share cached objects.
  # Precompiled headers require these sloppiness options: ccache hashes the precompiled file instead
  # of its sources. Times of included files stay checked: a header that is generated during a
  # compilation must not be cached under its old contents.
  set(
    CMAKE_CXX_COMPILER_LAUNCHER
    env
    "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}"
    CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros
    "${CCACHE_PROGRAM}"
  )
endif()

# The linker: mold, else lld, else the compiler's default.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold OPWRIGHT_HAS_MOLD)
check_linker_flag(CXX -fuse-ld=lld OPWRIGHT_HAS_LLD)
if(OPWRIGHT_HAS_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(OPWRIGHT_HAS_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# The core exports only declarations with OPWRIGHT_EXPORT (include/opwright/visibility.h).
set(OPWRIGHT_HIDDEN -fvisibility=hidden -fvisibility-inlines-hidden)

# The levels of cmake/optimize.cmake, and the level of tests. Debug and sanitizer builds use one
# level for all.
set(OPWRIGHT_FLAGS_speed -O2)
set(OPWRIGHT_FLAGS_size -Os)
set(OPWRIGHT_FLAGS_kernel -O3)
set(OPWRIGHT_FLAGS_test -O1)
set(debug_information -g1)
if(OPWRIGHT_DEBUG)
  set(single_level -O0)
  set(debug_information -g)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
elseif(OPWRIGHT_SANITIZE)
  set(single_level -O1)
endif()
if(single_level)
  foreach(level IN ITEMS speed size kernel test)
    set(OPWRIGHT_FLAGS_${level} ${single_level})
  endforeach()
endif()
# Without errno and traps, the compiler can vectorize rounding and square roots.
list(APPEND OPWRIGHT_FLAGS_kernel -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Jump threading adds branches, and GCC does not vectorize loops with branches.
  list(APPEND OPWRIGHT_FLAGS_kernel --param=max-jump-thread-duplication-stmts=0)
  # Lets ccache find the precompiled header in the preprocessor's output.
  add_compile_options(-fpch-preprocess)
endif()

add_compile_options(
  ${OPWRIGHT_FLAGS_speed}
  ${debug_information}
  -fno-semantic-interposition
  -Wall
  -Wextra
  -Wconversion
  -Wshadow
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 and 13: overlaps and overflows in std::string's operator+, and reads
  # of an empty std::optional in its destructor. Clang and the sanitizers find real errors.
  add_compile_options(
    -Wno-restrict
    -Wno-array-bounds
    -Wno-maybe-uninitialized
    -Wno-stringop-overflow
    -Wno-stringop-overread
  )
endif()
# Makes paths in __FILE__ and std::source_location relative to the repository root. Through ccache
# they are relative to the build folder, hence the second prefix.
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
  # One build for the tests under ASan and UBSan and for the fuzz targets; libFuzzer requires clang.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(
      FATAL_ERROR
      "OPWRIGHT_SANITIZE=address needs clang: configure with -DCMAKE_CXX_COMPILER=clang++-19"
    )
  endif()
  execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libclang_rt.asan-x86_64.so
    OUTPUT_VARIABLE asan_runtime
    OUTPUT_STRIP_TRAILING_WHITESPACE
  )
  cmake_path(GET asan_runtime PARENT_PATH asan_folder)
  # Empty tensors have no memory: kernels add strides to null pointers but do not read through them.
  add_compile_options(
    -fsanitize=address,undefined,fuzzer-no-link
    -fno-sanitize=pointer-overflow
    -fno-sanitize-recover=all
  )
  # The shared runtime, which tools/test_sanitizers preloads into Python.
  add_link_options(-fsanitize=address,undefined -shared-libsan "LINKER:-rpath,${asan_folder}")
elseif(OPWRIGHT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(NOT OPWRIGHT_SANITIZE STREQUAL "")
  message(
    FATAL_ERROR
    "OPWRIGHT_SANITIZE must be empty, address or thread, got ${OPWRIGHT_SANITIZE}"
  )
endif()
if(OPWRIGHT_SANITIZE)
  add_compile_options(-fno-omit-frame-pointer)
  add_compile_definitions(OPWRIGHT_ONE_CPU_LEVEL)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Makes -Wconversion match GCC's. stable_sort of libstdc++ 12 uses deprecated declarations.
  add_compile_options(-Wno-sign-conversion -Wno-deprecated-declarations)
  if(OPWRIGHT_SANITIZE)
    # In a unity unit, names in headers shadow helpers of other sources. The build `clang` has no
    # units and warns.
    add_compile_options(-Wno-shadow)
  endif()
endif()
