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
template <class Loop, class... Args>
[[gnu::noinline]] void run_at_baseline(Args... args) {
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
