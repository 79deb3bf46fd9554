#include "opwright/compile/object/machine_identity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace opwright {
namespace {

#if defined(__x86_64__)

// Registers of a leaf that identify model and features. Others differ between the cores of a
// machine (the core's number) or with what the system enabled for a thread.
struct Leaf {
  uint32_t leaf;
  uint32_t subleaf;
  std::array<bool, 4> is_read;  // eax, ebx, ecx, edx
};
constexpr auto kLeaves = std::to_array<Leaf>({
    {0, 0, {false, true, true, true}},       // vendor
    {1, 0, {true, false, true, true}},       // family and model, features
    {7, 0, {false, true, true, true}},       // features
    {7, 1, {true, true, false, true}},       //
    {0xd, 1, {true, false, false, false}},   // state saving
    {0x14, 0, {false, true, false, false}},  //
    {0x19, 0, {false, true, false, false}},  //
    {0x24, 0, {false, true, false, false}},  // version of AVX10
    {0x80000001, 0, {false, false, true, true}},
    {0x80000008, 0, {false, true, false, false}},
});

std::string find_identity() {
  std::string text = "x86-64";
  for (const Leaf& leaf : kLeaves) {
    std::array<uint32_t, 4> registers = {};
    // Returns false for a leaf that the machine does not have: all zeros.
    __get_cpuid_count(leaf.leaf, leaf.subleaf, registers.data(), &registers[1], &registers[2],
                      &registers[3]);
    for (size_t i = 0; i < registers.size(); ++i)
      if (leaf.is_read[i]) text += fmt::format(" {:x}", registers[i]);
  }
  // Which registers the system saves: vectors that it does not save are not used.
  if (__builtin_cpu_supports("avx")) {
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    text += fmt::format(" {:x} {:x}", low, high);
  }
  return text;
}

#else

std::string find_identity() { return "another machine"; }

#endif

}  // namespace

const std::string& machine_identity() {
  static const std::string identity = find_identity();
  return identity;
}

}  // namespace opwright
