// Runs the version of a loop compiled for this machine's level: run_at_level<Loop>(args...) calls
// Loop::run, which is OPWRIGHT_INLINE.
#pragma once

#include "opwright/ops/engine/cpu/cpu_level.h"

namespace opwright {

template <class Loop, class... Args>
OPWRIGHT_AVX2 void run_at_avx2(Args... args) {
  Loop::run(args...);
}
template <class Loop, class... Args>
OPWRIGHT_AVX512 void run_at_avx512(Args... args) {
  Loop::run(args...);
}
// Few machines with levels are at the lowest, so that it is compiled for size.
#ifdef OPWRIGHT_HAS_CPU_LEVELS
#define OPWRIGHT_BASELINE [[gnu::noinline, gnu::cold]]
#else
#define OPWRIGHT_BASELINE [[gnu::noinline]]
#endif
template <class Loop, class... Args>
OPWRIGHT_BASELINE void run_at_baseline(Args... args) {
  Loop::run(args...);
}

template <class Loop, class... Args>
void run_at_level(Args... args) {
#ifdef OPWRIGHT_HAS_CPU_LEVELS
  if (kCpuLevel == CpuLevel::Avx512) return run_at_avx512<Loop>(args...);
  if (kCpuLevel == CpuLevel::Avx2) return run_at_avx2<Loop>(args...);
#endif
  run_at_baseline<Loop>(args...);
}

}  // namespace opwright
