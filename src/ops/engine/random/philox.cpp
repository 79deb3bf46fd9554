#include "opwright/ops/engine/random/philox.h"

#include "opwright/ops/engine/cpu/run_at_level.h"

namespace opwright {
namespace {

template <class Word>
struct DrawGroups {
  OPWRIGHT_INLINE static void run(uint64_t seed, uint64_t first, int64_t groups, uint32_t* words) {
    constexpr auto kLanes = static_cast<uint32_t>(kCounterGroup);
    const auto key0 = static_cast<uint32_t>(seed);
    const auto key1 = static_cast<uint32_t>(seed >> 32);
    for (int64_t group = 0; group < groups; ++group) {
      const uint64_t counter = first + static_cast<uint64_t>(group) * kCounterGroup;
      const auto low = static_cast<uint32_t>(counter);  // a multiple of the lanes: no carry
      const auto high = static_cast<uint32_t>(counter >> 32);
      uint32_t* out = words + group * kGroupWords;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const PhiloxWords<Word> x = philox(PhiloxWords<Word>{{low + lane, high, 0, 0}}, key0, key1);
        out[lane] = static_cast<uint32_t>(x.words[0]);
        out[kLanes + lane] = static_cast<uint32_t>(x.words[1]);
        out[2 * kLanes + lane] = static_cast<uint32_t>(x.words[2]);
        out[3 * kLanes + lane] = static_cast<uint32_t>(x.words[3]);
      }
    }
  }
};

}  // namespace

void draw_words(uint64_t seed, uint64_t first, int64_t groups, uint32_t* words) {
#ifdef OPWRIGHT_HAS_CPU_LEVELS
  // AVX-512 alone multiplies 64-bit lanes in one instruction.
  if (kCpuLevel == CpuLevel::Avx512)
    return run_at_avx512<DrawGroups<uint64_t>>(seed, first, groups, words);
#endif
  run_at_level<DrawGroups<uint32_t>>(seed, first, groups, words);
}

}  // namespace opwright
