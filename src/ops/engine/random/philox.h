// Philox 4x32-10: random bits computed from a key and a counter (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011).
//
// Kernels draw words in groups: the 64 words of 16 consecutive counters, ordered so that vector
// code needs no shuffle: word w of counter c is at 16 * w + c.
#pragma once

#include <array>
#include <cstdint>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

inline constexpr int64_t kGroupWords = 4 * static_cast<int64_t>(kCounterGroup);

// Each word is the lower half of a Word. With 64 bits it needs no conversion before and after the
// products, and the upper half is not cleared.
template <class Word>
struct PhiloxWords {
  Word words[4];
};
using PhiloxBlock = PhiloxWords<uint32_t>;

template <class Word>
OPWRIGHT_INLINE void philox_round(PhiloxWords<Word>& x, uint32_t key0, uint32_t key1) {
  constexpr uint64_t kLow = 0xffffffffU;
  const uint64_t product0 = (x.words[0] & kLow) * 0xD2511F53U;
  const uint64_t product1 = (x.words[2] & kLow) * 0xCD9E8D57U;
  const Word word0 = static_cast<Word>(product1 >> 32) ^ x.words[1] ^ key0;
  const Word word2 = static_cast<Word>(product0 >> 32) ^ x.words[3] ^ key1;
  x.words[0] = word0;
  x.words[1] = static_cast<Word>(product1);
  x.words[2] = word2;
  x.words[3] = static_cast<Word>(product0);
}

template <class Word = uint32_t>
OPWRIGHT_INLINE PhiloxWords<Word> philox(PhiloxWords<Word> counter, uint32_t key0, uint32_t key1) {
  constexpr uint32_t kStep0 = 0x9E3779B9U;  // the golden ratio
  constexpr uint32_t kStep1 = 0xBB67AE85U;  // the square root of 3
  PhiloxWords<Word> x = counter;
  // Unrolled by hand: an inner loop would prevent vectorization of the outer one.
  philox_round(x, key0, key1);
  philox_round(x, key0 + kStep0, key1 + kStep1);
  philox_round(x, key0 + 2 * kStep0, key1 + 2 * kStep1);
  philox_round(x, key0 + 3 * kStep0, key1 + 3 * kStep1);
  philox_round(x, key0 + 4 * kStep0, key1 + 4 * kStep1);
  philox_round(x, key0 + 5 * kStep0, key1 + 5 * kStep1);
  philox_round(x, key0 + 6 * kStep0, key1 + 6 * kStep1);
  philox_round(x, key0 + 7 * kStep0, key1 + 7 * kStep1);
  philox_round(x, key0 + 8 * kStep0, key1 + 8 * kStep1);
  philox_round(x, key0 + 9 * kStep0, key1 + 9 * kStep1);
  return x;
}

// The words of `groups` groups of counters starting at `first`, a multiple of kCounterGroup.
void draw_words(uint64_t seed, uint64_t first, int64_t groups, uint32_t* words);

// Draws as many words as an element needs, for distributions where the number is not known in
// advance: the words of one counter, whose upper half is incremented.
class ElementWords {
 public:
  ElementWords(uint64_t seed, uint64_t counter) : seed_(seed), counter_(counter) {}

  uint32_t next() {
    if (used_ == 4) {
      const PhiloxBlock block{static_cast<uint32_t>(counter_),
                              static_cast<uint32_t>(counter_ >> 32), ++turn_, 0};
      words_ = philox(block, static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
      used_ = 0;
    }
    return words_.words[used_++];
  }
  // In (0, 1).
  double next_uniform() {
    const uint64_t high = next();
    return (static_cast<double>((high << 32 | next()) >> 12) + 0.5) * 0x1p-52;
  }

 private:
  uint64_t seed_, counter_;
  uint32_t turn_ = 0;  // 0 is reserved for draw_words
  uint32_t used_ = 4;
  PhiloxBlock words_{};
};

}  // namespace opwright
