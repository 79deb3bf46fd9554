// The machine's level of vector instructions, and functions compiled once per level.
#pragma once

#include <cstddef>

// Sanitizer builds compile only the baseline loops: the others have the same source, and building
// three versions would take too long.
#if defined(__x86_64__) && !defined(OPWRIGHT_ONE_CPU_LEVEL)
#define OPWRIGHT_HAS_CPU_LEVELS 1
#endif

// A function of one element, inlined into the calling loop at every level.
#define OPWRIGHT_INLINE [[gnu::always_inline]] inline
// Compiles a function for a level; this covers only the function and what is inlined into it.
#define OPWRIGHT_AVX2_FEATURES "avx2,fma,f16c,bmi2"
#define OPWRIGHT_AVX512_FEATURES OPWRIGHT_AVX2_FEATURES ",avx512f,avx512bw,avx512dq,avx512vl"
#define OPWRIGHT_AVX2 [[gnu::target(OPWRIGHT_AVX2_FEATURES)]]
#ifdef __clang__
#define OPWRIGHT_AVX512 [[gnu::target(OPWRIGHT_AVX512_FEATURES)]]
#else
#define OPWRIGHT_AVX512 [[gnu::target(OPWRIGHT_AVX512_FEATURES ",prefer-vector-width=512")]]
#endif

// The iterations of the next loop are independent. Clang checks this at run time.
#ifdef __clang__
#define OPWRIGHT_INDEPENDENT_ITERATIONS
#else
#define OPWRIGHT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace opwright {

enum class CpuLevel : unsigned char { Baseline, Avx2, Avx512 };

// The highest level of this machine, limited by OPWRIGHT_CPU_LEVEL (baseline, avx2, avx512).
// Baseline before static initializers have run.
extern const CpuLevel kCpuLevel;
[[nodiscard]] inline size_t cpu_level_index() { return static_cast<size_t>(kCpuLevel); }

}  // namespace opwright
