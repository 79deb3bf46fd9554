#include "opwright/ops/engine/cpu/cpu_level.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace opwright {
namespace {

CpuLevel find_machine_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CpuLevel::Baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? CpuLevel::Avx512 : CpuLevel::Avx2;
#else
  return CpuLevel::Baseline;
#endif
}

CpuLevel find_asked_level() {
  const char* asked = std::getenv("OPWRIGHT_CPU_LEVEL");
  if (asked && std::string_view(asked) == "baseline") return CpuLevel::Baseline;
  if (asked && std::string_view(asked) == "avx2") return CpuLevel::Avx2;
  return CpuLevel::Avx512;
}

}  // namespace

const CpuLevel kCpuLevel = std::min(find_machine_level(), find_asked_level());

}  // namespace opwright
