// What the machine's vector instructions are, and functions that exist once for each level.
#pragma once

#include <cstddef>

// Sanitized builds have the loops of the first level alone: they are the same, and three times as
// many would take too long to build.
#if defined(__x86_64__) && !defined(OPWRIGHT_ONE_CPU_LEVEL)
#define OPWRIGHT_HAS_CPU_LEVELS 1
#endif

// A function of one element, part of the loop that calls it at every level.
#define OPWRIGHT_INLINE [[gnu::always_inline]] inline
// Functions compiled for a level; only what is inlined into them is.
#define OPWRIGHT_AVX2_FEATURES "avx2,fma,f16c,bmi2"
#define OPWRIGHT_AVX512_FEATURES OPWRIGHT_AVX2_FEATURES ",avx512f,avx512bw,avx512dq,avx512vl"
#define OPWRIGHT_AVX2 [[gnu::target(OPWRIGHT_AVX2_FEATURES)]]
#ifdef __clang__
#define OPWRIGHT_AVX512 [[gnu::target(OPWRIGHT_AVX512_FEATURES)]]
#else
#define OPWRIGHT_AVX512 [[gnu::target(OPWRIGHT_AVX512_FEATURES ",prefer-vector-width=512")]]
#endif

// The iterations of the next loop do not depend on each other. Clang finds out when it runs.
#ifdef __clang__
#define OPWRIGHT_INDEPENDENT_ITERATIONS
#else
#define OPWRIGHT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace opwright {

enum class CpuLevel : unsigned char { Baseline, Avx2, Avx512 };

// The highest that this machine has, at most what OPWRIGHT_CPU_LEVEL names (baseline, avx2,
// avx512). Baseline before static initialisers have run.
extern const CpuLevel kCpuLevel;
[[nodiscard]] inline size_t cpu_level_index() { return static_cast<size_t>(kCpuLevel); }

}  // namespace opwright
