#include "devices/cuda/error_text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "opwright/error.h"

namespace opwright::cuda {

std::string size_text(size_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return concatenate(bytes, bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  char rounded[32];
  std::snprintf(rounded, sizeof rounded, "%.4g", value);
  return concatenate(rounded, " ", kUnits[unit]);
}

std::string version_text(int version) {
  return concatenate(version / 1000, ".", version % 1000 / 10);
}

std::string absence_text(const AbsenceFacts& facts) {
  switch (facts.absence) {
    case Absence::Nothing:
      return {};
    case Absence::NoDriver:
      return "no NVIDIA driver (libcuda.so.1 not found): install one, or run on another device";
    case Absence::OldDriver:
      return concatenate("the driver supports CUDA ", version_text(facts.driver),
                         ", the plug-in needs ", version_text(facts.needed), ": update the driver");
    case Absence::NoDevice:
      return "the driver sees no device; CUDA_VISIBLE_DEVICES may hide them";
    case Absence::Other:
      break;
  }
  return concatenate("the driver does not start: ", facts.problem);
}

std::string no_room_text(int32_t index, const MemoryFacts& facts) {
  return concatenate(
      "cuda:", index, " has ", size_text(facts.total), ", of which ", size_text(facts.free),
      " are free; tensors of this process have ", size_text(facts.allocated), ", and ",
      size_text(facts.cached), " are cached",
      facts.cached > 0 ? ", in pieces that are too small" : "",
      ". Delete tensors that are no longer needed, use a smaller batch, or release cached memory"
      " with opwright.cuda.empty_cache()");
}

std::string fault_text(int32_t index, const std::string& problem, const std::string& what,
                       bool waits) {
  return concatenate(
      "a kernel on cuda:", index, " failed: ", problem, " (seen when ", what,
      "); this process cannot use the device any more",
      waits ? ""
            : "; set OPWRIGHT_SYNCHRONIZE=1 (or opwright.debug.synchronize_calls()) to learn which"
              " operator it was");
}

std::string no_code_text(int32_t index, int capability) {
  return concatenate("cuda:", index, " has compute capability ", capability / 10, ".",
                     capability % 10, ", but the plug-in only has code for 9.0 and newer");
}

std::string forked_text() {
  return "cuda was used before this process was forked, and a driver does not outlive a fork: start"
         " processes with the method 'spawn', or fork before the first use of cuda";
}

}  // namespace opwright::cuda
